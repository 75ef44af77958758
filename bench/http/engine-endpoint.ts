import { randomUUID } from 'node:crypto';
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { systemRandom } from '../../src/core/random.ts';
import { Engine } from '../../src/engine/engine.ts';
import { openContext } from '../../src/engine/open-context.ts';
import { builtInLifecycles as lifecycles } from '../../src/lifecycles/built-in.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
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
