import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/canonical-json.ts';
import { birthPlaces, type Lifecycle, opensEpoch } from '../../core/lifecycle.ts';
import { listedMoves } from '../../core/lifecycle-soundness.ts';
import { rankOf } from '../../core/phase.ts';
import { StoreError } from '../store-error.ts';
import { type GuardedMove, guardFunctionSql, guardTriggerSql } from './guard.ts';
import { changeSchema } from './migrations-runner.ts';
import type { Database, Query } from './pool.ts';

/** What a lifecycle's table says to the database, in an order that does not depend on its text. */
function tableOf(lifecycle: Lifecycle): string {
  const moves = listedMoves(lifecycle)
    .map((move) => canonicalJson(move))
    .toSorted();
  const claims = claimRowsOf(lifecycle)
    .map((row) => canonicalJson(row))
    .toSorted();
  return canonicalJson({ births: birthPlaces(lifecycle, true), moves, claims });
}

function claimRowsOf(lifecycle: Lifecycle): { [name: string]: string | number | boolean }[] {
  return lifecycle.transitions
    .filter(({ on }) => on === 'claim')
    .map(({ from, to, quiet }) => ({
      state: from.state,
      phase: rankOf(from.phase),
      to_state: to.state,
      to_phase: rankOf(to.phase),
      is_quiet: quiet,
      epochs: opensEpoch(from, to) ? 1 : 0,
    }));
}

interface KnownLifecycle {
  readonly id: number;
  readonly name: string;
  readonly version: number;
  readonly table_json: string;
}

/**
 * Adds the lifecycles of this process to those of all others and generates the guard from the
 * union: sets only grow, so that a process of an older release finds its own still there.
 */
export async function registerLifecycles(
  database: Database,
  lifecycles: readonly Lifecycle[],
  mayChange: boolean,
): Promise<void> {
  const known = await database.read<KnownLifecycle>('SELECT * FROM pawl.lifecycles');
  if (lifecycles.every((lifecycle) => isKnown(lifecycle, known))) return;
  if (!mayChange) {
    throw new StoreError('refused', 'the schema does not know all lifecycles yet: migrate it');
  }
  await changeSchema(database, async (query) => {
    const known = await query<KnownLifecycle>('SELECT * FROM pawl.lifecycles');
    for (const lifecycle of lifecycles) {
      if (!isKnown(lifecycle, known)) await addLifecycle(query, lifecycle);
    }
    await generateGuard(query);
  });
}

function isKnown(lifecycle: Lifecycle, known: readonly KnownLifecycle[]): boolean {
  const { name, version } = lifecycle;
  const found = known.find((one) => one.name === name && one.version === version);
  if (found === undefined) return false;
  if (found.table_json === tableOf(lifecycle)) return true;
  throw new StoreError(
    'refused',
    `lifecycle "${name}" v${version} is registered with other rows: give the table a new version`,
  );
}

async function addLifecycle(query: Query, lifecycle: Lifecycle): Promise<void> {
  const { name, version } = lifecycle;
  if (lifecycle.places.some(({ state }) => /:\d>/.test(state))) {
    throw new StoreError('refused', `lifecycle "${name}": a state's name may not contain ":1>"`);
  }
  const [first, second] = birthPlaces(lifecycle, true);
  const [row] = await query<{ id: number }>(
    `INSERT INTO pawl.lifecycles (name, version, table_json, initial_state, initial_phase,
      submitted_state, submitted_phase) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
    [
      name,
      version,
      tableOf(lifecycle),
      first!.state,
      rankOf(first!.phase),
      second?.state ?? null,
      second === undefined ? null : rankOf(second.phase),
    ],
  );
  const { id } = row!;
  const moves = listedMoves(lifecycle).map(({ from, to, quiet, opensEpoch }) => ({
    from_state: from.state,
    from_phase: rankOf(from.phase),
    to_state: to.state,
    to_phase: rankOf(to.phase),
    is_quiet: quiet,
    epochs: opensEpoch ? 1 : 0,
  }));
  await query(
    `INSERT INTO pawl.moves SELECT $1, from_state, from_phase, to_state, to_phase, is_quiet, epochs
     FROM json_populate_recordset(NULL::pawl.moves, $2)`,
    [id, JSON.stringify(moves)],
  );
  await query(
    `INSERT INTO pawl.claim_moves SELECT $1, state, phase, to_state, to_phase, is_quiet, epochs
     FROM json_populate_recordset(NULL::pawl.claim_moves, $2)`,
    [id, JSON.stringify(claimRowsOf(lifecycle))],
  );
}

/** The trigger needs a lock that holds writers up, so it is only replaced by another one. */
async function generateGuard(query: Query): Promise<void> {
  const moves = await query<GuardedMove>(
    `SELECT * FROM pawl.moves
     ORDER BY lifecycle, from_state, from_phase, to_state, to_phase, is_quiet`,
  );
  await query(guardFunctionSql(moves));
  const trigger = guardTriggerSql(moves);
  const digest = createHash('sha256').update(trigger).digest('hex');
  const [meta] = await query<{ guard_digest: string | null }>('SELECT guard_digest FROM pawl.meta');
  if (meta!.guard_digest === digest) return;
  await query(trigger);
  await query('UPDATE pawl.meta SET guard_digest = $1', [digest]);
}
