import { type DoctorDependencies, type Facts, gatherFacts } from './facts.ts';
import { type Finding, type Found, found, good } from './finding.ts';
import type { CellState, CellView } from '../store/cell-view.ts';
import { disk, DISK_CHECKS } from './disk-checks.ts';
import { FAILOVER_CHECKS } from './failover-checks.ts';
import { OPERATION_CHECKS } from './operation-checks.ts';
import { STORE_CHECKS } from './store-checks.ts';

/** One thing to look at. A check is pure: it judges facts. */
export interface Check {
  readonly name: string;
  readonly run: (facts: Facts) => readonly Found[];
}

const DATABASE_CHECKS: readonly Check[] = [...STORE_CHECKS, ...FAILOVER_CHECKS, ...DISK_CHECKS];

/** All findings, in the order of the checks. */
export function judge(facts: Facts): Finding[] {
  return judgeBy([...DATABASE_CHECKS, ...OPERATION_CHECKS], facts);
}

function judgeBy(checks: readonly Check[], facts: Facts): Finding[] {
  return checks.flatMap(({ name, run }) => run(facts).map((one) => ({ check: name, ...one })));
}

/** Looks at the database and at what it holds. */
export async function examine(deps: DoctorDependencies): Promise<Finding[]> {
  const { cells } = deps.store;
  if (cells !== undefined) return examineCells(deps, cells);
  return examineBy([...DATABASE_CHECKS, ...OPERATION_CHECKS], deps);
}

/** Each database for itself, and the work of all together. */
async function examineCells(deps: DoctorDependencies, cells: CellView): Promise<Finding[]> {
  const findings = (await cells.states()).map(reach);
  for (const [name, store] of cells.reached()) {
    const own = await examineBy(DATABASE_CHECKS, { ...deps, store });
    findings.push(...own.map((one) => ({ ...one, message: `${name}: ${one.message}` })));
  }
  return [...findings, ...(await examineBy(OPERATION_CHECKS, deps))];
}

function reach({ name, state, tenants, detail }: CellState): Finding {
  if (state !== 'unreachable') {
    return { check: 'cells', ...good(`${name} can be reached; ${tenants} tenants`) };
  }
  const message = `${detail ?? name}: its ${tenants} tenants are answered with 503`;
  return { check: 'cells', ...found('fault', message, 'Start its database, or correct its URL.') };
}

async function examineBy(checks: readonly Check[], deps: DoctorDependencies): Promise<Finding[]> {
  try {
    return judgeBy(checks, await gatherFacts(deps));
  } catch (error) {
    const health = await deps.store.maintenance.health();
    if (health.state === 'ok') throw error;
    // What cannot be read cannot be judged, but what the disk says can.
    return disk({ health }).map((one) => ({ check: 'disk', ...one }));
  }
}
