// The platform up to the moment before a delivery, in a process of its own that is then killed:
// with `event` the log has the event and no more, with `fan-out` the delivery is stored too.
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { systemRandom } from '../../src/core/random.ts';
import { openLinkKeys } from '../../src/artifact/link-keys.ts';
import { Engine } from '../../src/engine/engine.ts';
import { openContext } from '../../src/engine/open-context.ts';
import { SHARED_TENANT } from '../../src/engine/registry.ts';
import { typeDefinitionOf } from '../../src/handler/define-job.ts';
import { eventJson } from '../../src/http/view.ts';
import { builtInLifecycles as lifecycles } from '../../src/lifecycles/built-in.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { fanOut } from '../../src/webhooks/deliveries.ts';
import { deliveryJob } from '../../src/webhooks/delivery-job.ts';
import { SecretBox } from '../../src/webhooks/secret-box.ts';
import { Webhooks } from '../../src/webhooks/webhooks.ts';

const [database = '', keys = '', url = '', until = ''] = process.argv.slice(2);
const store = database.startsWith('postgres')
  ? await openPostgresStore({ url: database, lifecycles })
  : await openSqliteStore({ path: database, lifecycles });
const context = openContext({
  store,
  lifecycles,
  random: systemRandom,
  ids: systemIds(systemClock),
});
const engine = new Engine(context);
const records = context.records.webhooks;
const outgoing = createOutgoing({ allow: ['127.0.0.1'] });
const box = new SecretBox(await openLinkKeys(keys));
const webhooks = new Webhooks({ engine, records, outgoing, box });
const job = deliveryJob({ engine, webhooks, outgoing, view: eventJson, clock: systemClock });
const named = { tenant: SHARED_TENANT, type: job.type };
await engine.putType(named, typeDefinitionOf(job));
await engine.putType({ tenant: 'default', type: 'mail' }, { lifecycle: 'task' });
const { secret } = await webhooks.create({ tenant: 'default', actor: 'api' }, { url });
const caller = { tenant: 'default', principal: null };
await engine.enqueue([{ type: 'mail' }], { caller });
const [claim] = await engine.claim({ owner: 'w', types: ['mail'], max: 1 });
const { tenant, id, epoch } = claim!.job;
const ending = { kind: 'succeed', result: '1' } as const;
await engine.settle([{ ref: { tenant, id }, owner: 'w', epoch, ending }]);
if (until === 'fan-out') {
  const { items } = await engine.tail({ tenant: null, from: 'start', limit: 100 });
  await fanOut({ engine, records }, items);
}
process.stdout.write(`${secret}\n`);
// Stays, with all that it holds, until it is killed.
process.stdin.resume();
