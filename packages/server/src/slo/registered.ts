import type { SloDefinition } from 'pawl/internal/core/slo';
import { type Registry, SHARED_TENANT } from 'pawl/internal/engine/registry';
import type { TypeRecord } from 'pawl/internal/records/job-types';
import type { Records } from 'pawl/internal/records/records';
import { type SloTarget, targetOf } from 'pawl/internal/contract/slo-target';

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
