import type { SloDefinition } from '../core/slo.ts';
import { type Registry, SHARED_TENANT } from '../engine/registry.ts';
import type { TypeRecord } from '../records/job-types.ts';
import type { Records } from '../records/records.ts';
import { type SloTarget, targetOf } from './target.ts';

/** The targets that a registered type names, or those that it has from the start. */
export function targetOfRecord({ type, definition }: TypeRecord): SloTarget {
  return targetOf(type, JSON.parse(definition) as { slo?: SloDefinition });
}

/** The targets of one type, as its tenant has registered it. */
export async function targetIn(
  registry: Pick<Registry, 'type'>,
  tenant: string,
  type: string,
): Promise<SloTarget> {
  const record = await registry.type(tenant, type).catch(() => null);
  return record === null ? targetOf(type, null) : targetOfRecord(record);
}

/** The targets of all types that a tenant (null: everybody) may use, by name. */
export async function registeredTargets(
  { types }: Pick<Records, 'types'>,
  tenant: string | null,
): Promise<Map<string, SloTarget>> {
  const shared = await types.list(SHARED_TENANT);
  const own = tenant === null ? [] : await types.list(tenant);
  return new Map([...shared, ...own].map((record) => [record.type, targetOfRecord(record)]));
}
