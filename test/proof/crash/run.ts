import type { Rung } from '../figures.ts';
import { crashEverywhere } from './crash.ts';
import { ERROR_CLASSES, failEverywhere } from './errors.ts';
import { crashMigrations } from './migration.ts';
import { crashPartitions } from './partitions.ts';
import { WORKFLOWS } from './workflows.ts';

const MIGRATION = 'migration';
const PARTITIONS = 'partitions';

/** A migration of PostgreSQL has some hundreds of statements. */
const STATEMENTS_EVERY = { sqlite: 1, postgres: 10 } as const;

/**
 * `--workflow submit`, `--workflow migration` or `--workflow partitions`: only that one.
 * `--every 5`: only at every fifth call or statement.
 */
export const runCrash: Rung = async (options, say) => {
  const only = options.text('workflow');
  const every = options.number('every', 1);
  const figures: Record<string, string | number> = {};
  const violations: string[] = [];
  let [killed, failed] = [0, 0];
  for (const name of Object.keys(WORKFLOWS).filter((one) => only === null || one === only)) {
    const { crashes, ...crashed } = await crashEverywhere(name, { every });
    const { errors, ...met } = await failEverywhere(name, { every });
    figures[name] = `${crashes} kills, ${errors} errors`;
    [killed, failed] = [killed + crashes, failed + errors];
    const told = [...crashed.violations, ...met.violations];
    violations.push(...told);
    say(`${name}: ${crashes} kills, ${errors} errors, ${told.length} violations`);
  }
  for (const store of ['sqlite', 'postgres'] as const) {
    if (only !== null && only !== MIGRATION) continue;
    const sparse = { every: options.number('every', STATEMENTS_EVERY[store]) };
    const report = await crashMigrations(store, sparse);
    figures[`${MIGRATION}, ${store}`] = `${report.crashes} kills`;
    killed += report.crashes;
    violations.push(...report.violations);
    say(`${MIGRATION}, ${store}: ${report.crashes} kills, ${report.violations.length} violations`);
  }
  if (only === null || only === PARTITIONS) {
    const report = await crashPartitions({ every });
    figures[PARTITIONS] = `${report.crashes} kills`;
    killed += report.crashes;
    violations.push(...report.violations);
    say(`${PARTITIONS}: ${report.crashes} kills, ${report.violations.length} violations`);
  }
  const classes = Object.keys(ERROR_CLASSES).length;
  const totals = { 'processes killed': killed, 'store calls failed': failed, classes };
  return { figures: { ...figures, ...totals }, violations };
};
