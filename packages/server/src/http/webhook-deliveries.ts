import type { FastifyRequest } from 'fastify';
import type { Webhook } from 'pawl/internal/records/webhooks';
import { deliverTest, findDelivery, listDeliveries, redeliver } from '../webhooks/deliveries.ts';
import { deliveryOf, triesOf } from '../webhooks/delivery-log.ts';
import { type App, callerOf } from './services.ts';
import { sendPage } from './page.ts';
import { IDEMPOTENT_BY_KEY } from 'pawl/internal/contract/headers';
import { closed, pageOf } from 'pawl/internal/contract/values';
import {
  DeliveryParams,
  DeliveryQuery,
  DeliverySchema,
  DeliveryWithTries,
  WebhookParams,
} from 'pawl/internal/contract/webhook';
import { deliveryJson, tryJson } from './webhook-view.ts';
import type { WebhookServices } from './webhooks.ts';

const tags = ['Webhooks'];

const PHASES = { delivered: 'succeeded', failed: 'failed', cancelled: 'cancelled' } as const;

function webhookIn({ webhooks }: WebhookServices, request: FastifyRequest): Promise<Webhook> {
  const { id } = request.params as { id: string };
  return webhooks.find({ tenant: callerOf(request).tenant, id });
}

function keyOf(request: FastifyRequest): { idempotencyKey?: string } {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' ? { idempotencyKey: key } : {};
}

function testWebhook(app: App, services: WebhookServices): void {
  app.post(
    '/v1/webhooks/:id/test',
    {
      schema: {
        tags,
        operationId: 'testWebhook',
        summary: 'Send a webhook a test event, once',
        description: 'It is of the type `webhook_test`, signed like any other.',
        params: WebhookParams,
        headers: IDEMPOTENT_BY_KEY,
        body: closed({}),
        response: { 202: DeliverySchema },
        errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
      },
    },
    async (request, reply) => {
      const webhook = await webhookIn(services, request);
      const job = await deliverTest(services.engine, webhook, keyOf(request));
      return reply.code(202).send(deliveryJson(deliveryOf(job)));
    },
  );
}

function listAll(app: App, services: WebhookServices): void {
  app.get(
    '/v1/webhooks/:id/deliveries',
    {
      schema: {
        tags,
        operationId: 'listDeliveries',
        summary: 'Deliveries of a webhook, the newest first',
        description: 'Kept as long as jobs are.',
        params: WebhookParams,
        querystring: DeliveryQuery,
        response: { 200: pageOf(DeliverySchema) },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      const { limit = 50, cursor, state } = request.query;
      const webhook = await webhookIn(services, request);
      const { jobs, hasMore } = await listDeliveries(services.engine, webhook, {
        limit,
        ...(cursor === undefined ? {} : { before: cursor }),
        ...(state === undefined ? {} : { phase: PHASES[state] }),
      });
      const items = jobs.map((job) => deliveryJson(deliveryOf(job)));
      return sendPage(reply, items, hasMore ? items.at(-1)!.id : null);
    },
  );
}

function readOne(app: App, services: WebhookServices): void {
  app.get(
    '/v1/webhooks/:id/deliveries/:deliveryId',
    {
      schema: {
        tags,
        operationId: 'readDelivery',
        summary: 'One delivery, with every request that was sent for it',
        params: DeliveryParams,
        response: { 200: DeliveryWithTries },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) => {
      const webhook = await webhookIn(services, request);
      const job = await findDelivery(services.engine, webhook, request.params.deliveryId);
      const tries = await triesOf(services.engine, job);
      return { ...deliveryJson(deliveryOf(job)), tries: tries.map(tryJson) };
    },
  );
}

function redeliverOne(app: App, services: WebhookServices): void {
  app.post(
    '/v1/webhooks/:id/deliveries/:deliveryId/redeliver',
    {
      schema: {
        tags,
        operationId: 'redeliver',
        summary: 'Send an event again, under the same webhook-id',
        description: 'It is a delivery of its own, with all its attempts before it.',
        params: DeliveryParams,
        headers: IDEMPOTENT_BY_KEY,
        body: closed({}),
        response: { 202: DeliverySchema },
        errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
      },
    },
    async (request, reply) => {
      const webhook = await webhookIn(services, request);
      const delivery = await findDelivery(services.engine, webhook, request.params.deliveryId);
      const job = await redeliver(services.engine, webhook, { delivery, ...keyOf(request) });
      return reply.code(202).send(deliveryJson(deliveryOf(job)));
    },
  );
}

/** The routes of a webhook's deliveries. */
export const deliveryRoutes: readonly ((app: App, services: WebhookServices) => void)[] = [
  testWebhook,
  listAll,
  readOne,
  redeliverOne,
];
