import { isDeepStrictEqual } from 'node:util';
import type { Policy } from '../../core/policy.ts';
import type { TypeEntry, TypeRecord } from '../store.ts';
import { deepFreeze, jsonText, keyOf, type Tables, throughJson } from './tables.ts';

/** Registers a type; what is equal to before keeps its number. */
export function putType(tables: Tables, name: [string, string], entry: TypeEntry): TypeRecord {
  const [tenant, type] = name;
  const known = tables.types.get(keyOf(tenant, type));
  const policy = numberOf(tables, throughJson(entry.policy));
  const definition = jsonText(entry.definition);
  const isSame = known?.definition === definition;
  if (isSame && known.policy === policy) return known;
  const revision = isSame ? known.revision : (known?.revision ?? 0) + 1;
  const updatedAt = tables.clock.now();
  const record = deepFreeze({ tenant, type, policy, revision, definition, updatedAt });
  tables.types.set(keyOf(tenant, type), record);
  return record;
}

function numberOf(tables: Tables, policy: Policy): number {
  const index = tables.policies.from(0).findIndex((one) => isDeepStrictEqual(one, policy));
  if (index !== -1) return index + 1;
  tables.policies.append(policy);
  return tables.policies.length;
}
