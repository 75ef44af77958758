// The platform up to the moment before a delivery, in a process of its own that is then killed:
// with `event` the log has the event and no more, with `fan-out` the delivery is stored too.
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { openLinkKeys } from 'pawl/internal/artifact/link-keys';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { SHARED_TENANT } from 'pawl/internal/engine/registry';
import { typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { createOutgoing } from '@pawl/server/internal/outgoing/outgoing';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import { fanOut } from '@pawl/server/internal/webhooks/deliveries';
import { deliveryJob } from '@pawl/server/internal/webhooks/delivery-job';
import { SecretBox } from '@pawl/server/internal/app/secret-box';
import { WebhookRecords } from '@pawl/server/internal/webhooks/records';
import { Webhooks } from '@pawl/server/internal/webhooks/webhooks';

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
const records = new WebhookRecords(store.records);
const outgoing = createOutgoing({ allow: ['127.0.0.1'] });
const secrets = new SecretBox(await openLinkKeys(keys));
const webhooks = new Webhooks({ engine, records, outgoing, secrets });
const job = deliveryJob({ engine, webhooks, outgoing, clock: systemClock });
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
