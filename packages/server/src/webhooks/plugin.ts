import { systemClock } from 'pawl/define';
import { definePlugin, type Plugin } from 'pawl/plugin';
import { fanOut } from './deliveries.ts';
import { DELIVERY_SLOTS, deliveryJob } from './delivery-job.ts';
import { WEBHOOK, WebhookRecords } from './records.ts';
import { webhookRoutes } from './routes.ts';
import { Webhooks } from './webhooks.ts';

/** Under this name the place in the log is kept up to which everybody was told. */
const FOLLOWER = 'pawl.webhooks';

/** Webhooks: whoever wants to know is told what happens to jobs. */
export function webhooks(): Plugin {
  return definePlugin({
    name: 'webhooks',
    records: [WEBHOOK],
    // Receivers that dawdle take no slot from anybody's work.
    hasOwnWorker: true,
    workerSlots: DELIVERY_SLOTS,
    start: ({ engine, records: store, secrets, http, wake }) => {
      const records = new WebhookRecords(store);
      const own = new Webhooks({ engine, records, secrets, outgoing: http });
      return {
        routes: webhookRoutes({ webhooks: own, engine }),
        jobs: [deliveryJob({ engine, webhooks: own, outgoing: http, clock: systemClock })],
        metrics: [
          {
            name: 'pawl_webhooks_circuits_open',
            help: 'Endpoints that nothing is sent to at the moment, since they failed in a row.',
            read: () => own.countOpen(),
          },
        ],
        followers: [
          {
            name: FOLLOWER,
            handle: async (items) => {
              if ((await fanOut({ engine, records }, items)).length > 0) wake();
            },
          },
        ],
      };
    },
  });
}
