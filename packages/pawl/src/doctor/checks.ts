import { type DoctorDependencies, type Facts, gatherFacts } from './facts.ts';
import type { Finding, Found } from './finding.ts';
import { disk, DISK_CHECKS } from './disk-checks.ts';
import { FAILOVER_CHECKS } from './failover-checks.ts';
import { OPERATION_CHECKS } from './operation-checks.ts';
import { STORE_CHECKS } from './store-checks.ts';

/** One thing to look at. A check is pure: it judges facts. */
export interface Check {
  readonly name: string;
  readonly run: (facts: Facts) => readonly Found[];
}

/** All findings, in the order of the checks. */
export function judge(facts: Facts): Finding[] {
  const checks = [...STORE_CHECKS, ...FAILOVER_CHECKS, ...DISK_CHECKS, ...OPERATION_CHECKS];
  return checks.flatMap(({ name, run }) => run(facts).map((one) => ({ check: name, ...one })));
}

/** Looks at the database and at what it holds. */
export async function examine(deps: DoctorDependencies): Promise<Finding[]> {
  try {
    return judge(await gatherFacts(deps));
  } catch (error) {
    const health = await deps.store.maintenance.health();
    if (health.state === 'ok') throw error;
    // What cannot be read cannot be judged, but what the disk says can.
    return disk({ health }).map((one) => ({ check: 'disk', ...one }));
  }
}
