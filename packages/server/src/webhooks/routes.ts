import {
  apiActor,
  type Credential,
  defineRoute,
  etagOf,
  IDEMPOTENT_BY_KEY,
  IfMatch,
  IfMatchByKey,
  jsonAnswer,
  MadeWebhookSchema,
  NewWebhookBody,
  nothing,
  pageAnswer,
  pageOf,
  type PluginRoute,
  type Precondition,
  preconditionOf,
  WebhookChangeBody,
  WebhookParams,
  WebhookQuery,
  WebhookRotateBody,
  WebhookSchema,
} from 'pawl/plugin';
import { deliveryRoutes, type DeliveryServices } from './delivery-routes.ts';
import { webhookJson } from './view.ts';
import type { Webhook } from './records.ts';
import { type Manager, type Webhooks, webhookTag } from './webhooks.ts';

const tag = 'Webhooks';

const OVERLAP_MS = 86_400_000;

function managerOf({ tenant, principal }: Credential): Manager {
  return { tenant, actor: apiActor(principal) };
}

function requiresOf({ headers }: Request): Precondition | undefined {
  return preconditionOf({ 'if-match': headers.get('if-match') });
}

/** With the tag that a change of it can name. */
async function shown(webhooks: Webhooks, webhook: Webhook): Promise<Response> {
  const headers = etagOf(webhookTag(webhook));
  return jsonAnswer(webhookJson(webhook, await webhooks.now()), { headers });
}

function createWebhook(webhooks: Webhooks): PluginRoute {
  return defineRoute({
    method: 'POST',
    path: '/v1/webhooks',
    scope: 'webhooks:write',
    doc: {
      tag,
      operationId: 'createWebhook',
      summary: 'Have an address told what happens to jobs',
      description:
        'By the Standard Webhooks specification: each event of `events` (left out: the ends of ' +
        'jobs) of each job of `types` is sent by POST, signed with the secret of this answer, ' +
        'at least once and with the same `webhook-id` however often. What is not answered with ' +
        '2xx within 20 s is sent again, 14 times over about three days; `Retry-After` is ' +
        'heeded, redirects are not followed, and 410 disables the webhook, as do five days ' +
        'without a single success. Endpoints are kept apart: of each at most 8 deliveries are ' +
        'under way, and after five failures in a row its `circuit` is open, for a minute at ' +
        'first and an hour at most, in which nothing is sent and nothing counted. The body ' +
        'is a CloudEvents 1.0 envelope whose `data` is the event as ' +
        '`GET /v1/jobs/{id}/events` shows it. The same request again with the same ' +
        '`Idempotency-Key` makes no second webhook (409 with the id of the first).',
      errors: ['ALREADY_EXISTS', 'QUOTA_EXCEEDED'],
    },
    headers: IDEMPOTENT_BY_KEY,
    body: NewWebhookBody,
    answers: { 201: MadeWebhookSchema },
    handle: async ({ headers }, { caller, body }) => {
      const key = headers.get('idempotency-key') ?? undefined;
      const { webhook, secret } = await webhooks.create(managerOf(caller), body, key);
      return jsonAnswer(
        { ...webhookJson(webhook, await webhooks.now()), secret },
        { status: 201, headers: { location: `/v1/webhooks/${webhook.id}` } },
      );
    },
  });
}

function listWebhooks(webhooks: Webhooks): PluginRoute {
  return defineRoute({
    method: 'GET',
    path: '/v1/webhooks',
    scope: 'webhooks:read',
    doc: { tag, operationId: 'listWebhooks', summary: "The tenant's webhooks" },
    query: WebhookQuery,
    answers: { 200: pageOf(WebhookSchema) },
    handle: async (request, { caller, query: { limit = 50, cursor } }) => {
      const found = await webhooks.list(caller.tenant, { after: cursor, limit: limit + 1 });
      const now = await webhooks.now();
      const items = found.slice(0, limit).map((one) => webhookJson(one, now));
      return pageAnswer(request, items, found.length > limit ? items.at(-1)!.id : null);
    },
  });
}

function readWebhook(webhooks: Webhooks): PluginRoute {
  return defineRoute({
    method: 'GET',
    path: '/v1/webhooks/:id',
    scope: 'webhooks:read',
    doc: { tag, operationId: 'readWebhook', summary: 'One webhook', errors: ['NOT_FOUND'] },
    params: WebhookParams,
    answers: { 200: WebhookSchema },
    handle: async (_request, { caller: { tenant }, params: { id } }) =>
      shown(webhooks, await webhooks.find({ tenant, id })),
  });
}

function changeWebhook(webhooks: Webhooks): PluginRoute {
  return defineRoute({
    method: 'PATCH',
    path: '/v1/webhooks/:id',
    scope: 'webhooks:write',
    doc: {
      tag,
      operationId: 'changeWebhook',
      summary: 'Change, disable or enable a webhook',
      description:
        'What is left out stays as it is. Events from while it was disabled are not sent ' +
        'later; enabling it forgets why it was disabled.',
      errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    },
    params: WebhookParams,
    headers: IfMatch,
    body: WebhookChangeBody,
    answers: { 200: WebhookSchema },
    handle: async (request, { caller, params, body }) =>
      shown(
        webhooks,
        await webhooks.change(managerOf(caller), params.id, body, requiresOf(request)),
      ),
  });
}

function removeWebhook(webhooks: Webhooks): PluginRoute {
  return defineRoute({
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    scope: 'webhooks:write',
    doc: {
      tag,
      operationId: 'removeWebhook',
      summary: 'Remove a webhook',
      description: 'Deliveries in flight end as failed.',
      errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    },
    params: WebhookParams,
    headers: IfMatch,
    answers: { 204: nothing('Removed.') },
    handle: async (request, { caller, params }) => {
      await webhooks.remove(managerOf(caller), params.id, requiresOf(request));
      return new Response(null, { status: 204 });
    },
  });
}

function rotateWebhook(webhooks: Webhooks): PluginRoute {
  return defineRoute({
    method: 'POST',
    path: '/v1/webhooks/:id/rotate',
    scope: 'webhooks:write',
    doc: {
      tag,
      operationId: 'rotateWebhook',
      summary: 'Give a webhook a new secret',
      description:
        'For `overlapMs` what is sent has a signature by the old secret too, so that receivers ' +
        'can change over without losing anything. The same request again with the same ' +
        '`Idempotency-Key` answers with the same secret.',
      errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    },
    params: WebhookParams,
    headers: IfMatchByKey,
    body: WebhookRotateBody,
    answers: { 200: MadeWebhookSchema },
    handle: async (request, { caller, params, body: { overlapMs = OVERLAP_MS } }) => {
      const key = request.headers.get('idempotency-key');
      const requires = requiresOf(request);
      const asked = { id: params.id, overlapMs, requires, ...(key === null ? {} : { key }) };
      const { webhook, secret } = await webhooks.rotate(managerOf(caller), asked);
      return { ...webhookJson(webhook, await webhooks.now()), secret };
    },
  });
}

/** `/v1/webhooks`: who is told, and what became of it. */
export function webhookRoutes(services: DeliveryServices): readonly PluginRoute[] {
  const { webhooks } = services;
  return [
    createWebhook(webhooks),
    listWebhooks(webhooks),
    readWebhook(webhooks),
    changeWebhook(webhooks),
    removeWebhook(webhooks),
    rotateWebhook(webhooks),
    ...deliveryRoutes(services),
  ];
}
