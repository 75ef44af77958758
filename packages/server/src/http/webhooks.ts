import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import type { Engine } from 'pawl/internal/engine/engine';
import type { Manager, Webhooks } from '../webhooks/webhooks.ts';
import { actorOf, type App, callerOf } from './services.ts';
import { IDEMPOTENT_BY_KEY } from 'pawl/internal/contract/headers';
import {
  MadeWebhookSchema,
  NewWebhookBody,
  WebhookChangeBody,
  WebhookParams,
  WebhookRotateBody,
  WebhookSchema,
} from 'pawl/internal/contract/webhook';
import { nothing, pageOf } from 'pawl/internal/contract/values';
import { deliveryRoutes } from './webhook-deliveries.ts';
import { webhookJson } from './webhook-view.ts';

/** What the API needs to manage webhooks and to show their deliveries. */
export interface WebhookServices {
  readonly webhooks: Webhooks;
  readonly engine: Engine;
}

const tags = ['Webhooks'];

const OVERLAP_MS = 86_400_000;

function managerOf(request: FastifyRequest): Manager {
  return { tenant: callerOf(request).tenant, actor: actorOf(request) };
}

function createWebhook(app: App, { webhooks }: WebhookServices): void {
  app.post(
    '/v1/webhooks',
    {
      schema: {
        tags,
        operationId: 'createWebhook',
        summary: 'Have an address told what happens to jobs',
        description:
          'By the Standard Webhooks specification: each event of `events` (left out: the ends of ' +
          'jobs) of each job of `types` is sent by POST, signed with the secret of this answer, ' +
          'at least once and with the same `webhook-id` however often. What is not answered with ' +
          '2xx within 20 s is sent again, 14 times over about three days; `Retry-After` is ' +
          'heeded, redirects are not followed, and 410 disables the webhook, as do five days ' +
          'without a single success. The body is a CloudEvents 1.0 envelope whose `data` is the ' +
          'event as `GET /v1/jobs/{id}/events` shows it. The same request again with the same ' +
          '`Idempotency-Key` makes no second webhook (409 with the id of the first).',
        headers: IDEMPOTENT_BY_KEY,
        body: NewWebhookBody,
        response: { 201: MadeWebhookSchema },
        errors: ['ALREADY_EXISTS', 'QUOTA_EXCEEDED'],
      },
    },
    async (request, reply) => {
      const key = request.headers['idempotency-key'];
      const { webhook, secret } = await webhooks.create(managerOf(request), request.body, key);
      return reply
        .code(201)
        .header('location', `/v1/webhooks/${webhook.id}`)
        .send({ ...webhookJson(webhook), secret });
    },
  );
}

function listWebhooks(app: App, { webhooks }: WebhookServices): void {
  app.get(
    '/v1/webhooks',
    {
      schema: {
        tags,
        operationId: 'listWebhooks',
        summary: "The tenant's webhooks",
        response: { 200: pageOf(WebhookSchema) },
      },
    },
    async (request) => {
      const found = await webhooks.list(callerOf(request).tenant);
      return { items: found.map(webhookJson), nextCursor: null };
    },
  );
}

function readWebhook(app: App, { webhooks }: WebhookServices): void {
  app.get(
    '/v1/webhooks/:id',
    {
      schema: {
        tags,
        operationId: 'readWebhook',
        summary: 'One webhook',
        params: WebhookParams,
        response: { 200: WebhookSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      return webhookJson(await webhooks.find({ tenant, id: request.params.id }));
    },
  );
}

function changeWebhook(app: App, { webhooks }: WebhookServices): void {
  app.patch(
    '/v1/webhooks/:id',
    {
      schema: {
        tags,
        operationId: 'changeWebhook',
        summary: 'Change, disable or enable a webhook',
        description:
          'What is left out stays as it is. Events from while it was disabled are not sent ' +
          'later; enabling it forgets why it was disabled.',
        params: WebhookParams,
        body: WebhookChangeBody,
        response: { 200: WebhookSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) =>
      webhookJson(await webhooks.change(managerOf(request), request.params.id, request.body)),
  );
}

function removeWebhook(app: App, { webhooks }: WebhookServices): void {
  app.delete(
    '/v1/webhooks/:id',
    {
      schema: {
        tags,
        operationId: 'removeWebhook',
        summary: 'Remove a webhook',
        description: 'Deliveries that are under way end as failed.',
        params: WebhookParams,
        response: { 204: nothing('Removed.') },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      await webhooks.remove(managerOf(request), request.params.id);
      return reply.code(204).send();
    },
  );
}

function rotateWebhook(app: App, { webhooks }: WebhookServices): void {
  app.post(
    '/v1/webhooks/:id/rotate',
    {
      schema: {
        tags,
        operationId: 'rotateWebhook',
        summary: 'Give a webhook a new secret',
        description:
          'For `overlapMs` what is sent has a signature by the old secret too, so that receivers ' +
          'can change over without losing anything. The same request again with the same ' +
          '`Idempotency-Key` answers with the same secret.',
        params: WebhookParams,
        headers: IDEMPOTENT_BY_KEY,
        body: WebhookRotateBody,
        response: { 200: MadeWebhookSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) => {
      const { overlapMs = OVERLAP_MS } = request.body;
      const key = request.headers['idempotency-key'];
      const asked = { id: request.params.id, overlapMs, ...(key === undefined ? {} : { key }) };
      const { webhook, secret } = await webhooks.rotate(managerOf(request), asked);
      return { ...webhookJson(webhook), secret };
    },
  );
}

/** `/v1/webhooks`: who is told, and what became of it. */
export function webhookRoutes(services: WebhookServices): FastifyPluginCallback {
  return (untyped, _options, done) => {
    const app = untyped.withTypeProvider<TypeBoxTypeProvider>();
    const own = [
      createWebhook,
      listWebhooks,
      readWebhook,
      changeWebhook,
      removeWebhook,
      rotateWebhook,
    ];
    for (const register of [...own, ...deliveryRoutes]) register(app, services);
    done();
  };
}
