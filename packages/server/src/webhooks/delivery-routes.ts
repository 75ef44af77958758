import {
  closed,
  type Credential,
  defineRoute,
  DeliveryParams,
  DeliveryQuery,
  DeliverySchema,
  DeliveryWithTries,
  type Engine,
  IDEMPOTENT_BY_KEY,
  jsonAnswer,
  pageAnswer,
  pageOf,
  type PluginRoute,
  WebhookParams,
} from 'pawl/plugin';
import type { Job } from 'pawl/define';
import { deliverTest, findDelivery, listDeliveries, redeliver } from './deliveries.ts';
import { deliveryOf, triesOf } from './delivery-log.ts';
import type { Webhook } from './records.ts';
import { deliveryJson, tryJson } from './view.ts';
import type { Webhooks } from './webhooks.ts';

/** What the routes need to manage webhooks and to show their deliveries. */
export interface DeliveryServices {
  readonly webhooks: Webhooks;
  readonly engine: Engine;
}

const tag = 'Webhooks';

const PHASES = { delivered: 'succeeded', failed: 'failed', cancelled: 'cancelled' } as const;

/** What a route is asked about, by its path and its caller. */
interface Asked {
  readonly caller: Credential;
  readonly params: { readonly id: string };
}

function webhookIn({ webhooks }: DeliveryServices, { caller, params }: Asked): Promise<Webhook> {
  return webhooks.find({ tenant: caller.tenant, id: params.id });
}

function keyOf({ headers }: Request): { idempotencyKey?: string } {
  const key = headers.get('idempotency-key');
  return key === null ? {} : { idempotencyKey: key };
}

/** What is asked for by sending something: the delivery that this makes. */
const SENDS = {
  method: 'POST',
  scope: 'webhooks:write',
  headers: IDEMPOTENT_BY_KEY,
  body: closed({}),
  answers: { 202: DeliverySchema },
} as const;

function accepted(delivery: Job): Response {
  return jsonAnswer(deliveryJson(deliveryOf(delivery)), { status: 202 });
}

function testWebhook(services: DeliveryServices): PluginRoute {
  return defineRoute({
    ...SENDS,
    path: '/v1/webhooks/:id/test',
    doc: {
      tag,
      operationId: 'testWebhook',
      summary: 'Send a webhook a test event, once',
      description: 'It is of the type `webhook_test`, signed like any other.',
      errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    },
    params: WebhookParams,
    handle: async (request, asked) => {
      const webhook = await webhookIn(services, asked);
      return accepted(await deliverTest(services.engine, webhook, keyOf(request)));
    },
  });
}

function listAll(services: DeliveryServices): PluginRoute {
  return defineRoute({
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries',
    scope: 'webhooks:read',
    doc: {
      tag,
      operationId: 'listDeliveries',
      summary: 'Deliveries of a webhook, the newest first',
      description: 'Stored as long as jobs.',
      errors: ['NOT_FOUND'],
    },
    params: WebhookParams,
    query: DeliveryQuery,
    answers: { 200: pageOf(DeliverySchema) },
    handle: async (request, asked) => {
      const { limit = 50, cursor, state } = asked.query;
      const webhook = await webhookIn(services, asked);
      const { jobs, nextCursor } = await listDeliveries(services.engine, webhook, {
        limit,
        ...(cursor === undefined ? {} : { before: cursor }),
        ...(state === undefined ? {} : { phase: PHASES[state] }),
      });
      const items = jobs.map((job) => deliveryJson(deliveryOf(job)));
      return pageAnswer(request, items, nextCursor);
    },
  });
}

function readOne(services: DeliveryServices): PluginRoute {
  return defineRoute({
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries/:deliveryId',
    scope: 'webhooks:read',
    doc: {
      tag,
      operationId: 'readDelivery',
      summary: 'One delivery, with every request that was sent for it',
      errors: ['NOT_FOUND'],
    },
    params: DeliveryParams,
    answers: { 200: DeliveryWithTries },
    handle: async (_request, asked) => {
      const webhook = await webhookIn(services, asked);
      const job = await findDelivery(services.engine, webhook, asked.params.deliveryId);
      const tries = await triesOf(services.engine, job);
      return { ...deliveryJson(deliveryOf(job)), tries: tries.map(tryJson) };
    },
  });
}

function redeliverOne(services: DeliveryServices): PluginRoute {
  return defineRoute({
    ...SENDS,
    path: '/v1/webhooks/:id/deliveries/:deliveryId/redeliver',
    doc: {
      tag,
      operationId: 'redeliver',
      summary: 'Send an event again, under the same webhook-id',
      description: 'The repeat is a delivery of its own, which lists the earlier requests.',
      errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    },
    params: DeliveryParams,
    handle: async (request, asked) => {
      const webhook = await webhookIn(services, asked);
      const delivery = await findDelivery(services.engine, webhook, asked.params.deliveryId);
      return accepted(await redeliver(services.engine, webhook, { delivery, ...keyOf(request) }));
    },
  });
}

/** The routes of a webhook's deliveries. */
export function deliveryRoutes(services: DeliveryServices): readonly PluginRoute[] {
  return [testWebhook(services), listAll(services), readOne(services), redeliverOne(services)];
}
