import type { TypeEntry, TypeRecord } from '../store.ts';
import { putPolicy } from './policy.ts';
import { deepFreeze, jsonText, keyOf, type Tables } from './tables.ts';

/** Registers a type; what is equal to before keeps its number. */
export function putType(tables: Tables, name: [string, string], entry: TypeEntry): TypeRecord {
  const [tenant, type] = name;
  const known = tables.types.get(keyOf(tenant, type));
  const policy = putPolicy(tables, entry.policy);
  const definition = jsonText(entry.definition);
  const isSame = known?.definition === definition;
  if (isSame && known.policy === policy) return known;
  const revision = isSame ? known.revision : (known?.revision ?? 0) + 1;
  const updatedAt = tables.clock.now();
  const record = deepFreeze({ tenant, type, policy, revision, definition, updatedAt });
  tables.types.set(keyOf(tenant, type), record);
  return record;
}
