import { canonicalJson } from '../../core/canonical-json.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { listedMoves } from '../../core/lifecycle-soundness.ts';
import { rankOf } from '../../core/phase.ts';
import { StoreError } from '../store-error.ts';
import type { Connection } from './connection.ts';

/** Makes the lifecycles known to the database and its guard; a known version never changes. */
export function registerLifecycles(connection: Connection, lifecycles: readonly Lifecycle[]): void {
  for (const lifecycle of lifecycles) {
    const { name, version, initial, places, transitions } = lifecycle;
    const definition = canonicalJson({ name, version, initial, places, transitions });
    const found = connection.sql('lifecycle').get(name, version);
    if (found === undefined) {
      addLifecycle(connection, lifecycle, definition);
    } else if (found['definition'] !== definition) {
      throw new StoreError(
        'refused',
        `lifecycle "${name}" v${version} is stored with another table, and jobs live by it: ` +
          `give the changed table version ${version + 1}`,
      );
    }
  }
}

function addLifecycle(connection: Connection, lifecycle: Lifecycle, definition: string): void {
  const { name, version, places } = lifecycle;
  const states = [...new Set(places.map(({ state }) => state))];
  const code = (state: string): number => states.indexOf(state) + 1;
  const { lastInsertRowid } = connection
    .sql('add_lifecycle')
    .run(name, version, definition, JSON.stringify(states));
  for (const { from, to, quiet, opensEpoch } of listedMoves(lifecycle)) {
    connection
      .sql('add_move')
      .run(
        lastInsertRowid,
        code(from.state),
        rankOf(from.phase),
        code(to.state),
        rankOf(to.phase),
        Number(quiet),
        Number(opensEpoch),
      );
  }
}
