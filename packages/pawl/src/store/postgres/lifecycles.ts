import { canonicalJson } from '../../core/canonical-json.ts';
import { birthPlaces, type Lifecycle, opensEpoch } from '../../core/lifecycle.ts';
import { listedMoves } from '../../core/lifecycle-soundness.ts';
import { rankOf } from '../../core/phase.ts';
import { StoreError } from '../store-error.ts';
import type { Database } from './database.ts';

/** What a lifecycle's table says to the database, in an order that does not depend on its text. */
function definitionOf(lifecycle: Lifecycle): string {
  const moves = listedMoves(lifecycle)
    .map((move) => canonicalJson(move))
    .toSorted();
  return canonicalJson({
    births: birthPlaces(lifecycle, true),
    moves,
    claims: claimsOf(lifecycle),
  });
}

function claimsOf(lifecycle: Lifecycle): string[] {
  return lifecycle.transitions
    .filter(({ on }) => on === 'claim')
    .map(({ from, to, quiet }) => canonicalJson({ from, to, quiet }))
    .toSorted();
}

/** Adds the lifecycles of this process to those of all others: sets only grow. */
export async function registerLifecycles(
  database: Database,
  lifecycles: readonly Lifecycle[],
): Promise<void> {
  const known = await database.read<{ name: string; version: number; definition: string }>(
    `SELECT name, version, definition FROM ${database.tables}.lifecycles`,
  );
  for (const lifecycle of lifecycles) {
    const { name, version } = lifecycle;
    const found = known.find((one) => one.name === name && one.version === version);
    if (found === undefined) await addLifecycle(database, lifecycle);
    else if (found.definition !== definitionOf(lifecycle)) {
      throw new StoreError(
        'refused',
        `lifecycle "${name}" v${version} is registered with other rows: ` +
          'give the table a new version',
      );
    }
  }
}

async function addLifecycle(database: Database, lifecycle: Lifecycle): Promise<void> {
  const states = [...new Set(lifecycle.places.map(({ state }) => state))];
  const codeOf = (state: string): number => states.indexOf(state) + 1;
  const isClaim = (from: string, to: string): boolean =>
    lifecycle.transitions.some(
      (row) =>
        row.on === 'claim' &&
        `${row.from.state}/${row.from.phase}` === from &&
        `${row.to.state}/${row.to.phase}` === to,
    );
  const moves = listedMoves(lifecycle).map(({ from, to, quiet }) => ({
    from_state: codeOf(from.state),
    from_phase: rankOf(from.phase),
    to_state: codeOf(to.state),
    to_phase: rankOf(to.phase),
    is_quiet: quiet,
    epochs: opensEpoch(from, to) ? 1 : 0,
    is_claim: isClaim(`${from.state}/${from.phase}`, `${to.state}/${to.phase}`),
  }));
  const births = birthPlaces(lifecycle, true).map(({ state, phase }) => [
    codeOf(state),
    rankOf(phase),
  ]);
  await database.verb('put_lifecycle', [
    lifecycle.name,
    lifecycle.version,
    definitionOf(lifecycle),
    states,
    JSON.stringify(births),
    JSON.stringify(moves),
  ]);
}
