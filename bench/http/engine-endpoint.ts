import { randomUUID } from 'node:crypto';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { expectAll, INPUT } from '../core/contender.ts';
import type { StoreName } from '../harness/arguments.ts';
import { DEFINITION, type Endpoint, TENANT, TYPE } from './endpoint.ts';

/** The engine in the caller's own process. */
export async function openEngineEndpoint(at: {
  store: StoreName;
  address: string;
}): Promise<Endpoint> {
  const store =
    at.store === 'postgres'
      ? await openPostgresStore({ url: at.address, lifecycles })
      : await openSqliteStore({ path: at.address, lifecycles });
  const ids = systemIds(systemClock);
  const engine = new Engine(openContext({ store, lifecycles, random: systemRandom, ids }));
  await engine.putType({ tenant: TENANT, type: TYPE }, DEFINITION);
  const caller = { tenant: TENANT, principal: null };
  return {
    async enqueue(size) {
      const key = randomUUID();
      const requests = Array.from({ length: size }, (_, place) => {
        return { type: TYPE, input: INPUT, idempotencyKey: `${key} #${place}` };
      });
      const results = await engine.enqueue(requests, { caller });
      expectAll(results.filter(({ kind }) => kind === 'created').length, size, 'enqueued');
    },
    async claim(owner, max) {
      const claims = await engine.claim({
        owner,
        types: [TYPE],
        max,
        tenants: [TENANT],
        requestId: randomUUID(),
      });
      return claims.map(({ job: { id, epoch } }) => ({ id, owner, epoch }));
    },
    async complete({ id, owner, epoch }) {
      const held = { ref: { tenant: TENANT, id }, owner, epoch };
      const [outcome] = await engine.settle([{ ...held, ending: { kind: 'succeed' } }]);
      expectAll(outcome?.kind === 'moved' ? 1 : 0, 1, 'completed');
    },
    close: () => store.close(),
  };
}
