import { Type } from 'typebox';
import {
  createKey,
  findKey,
  type KeyDependencies,
  revokeKey,
  rotateKey,
} from '../auth/manage-keys.ts';
import { type AccessKey, keyTag } from 'pawl/internal/records/access-keys';
import {
  type App,
  callerOf,
  credentialOf,
  type Services,
  type Resource,
  routes,
} from './services.ts';
import { pageBefore, sendPage } from './page.ts';
import {
  AuditSchema,
  keyBody,
  type KeyJson,
  KeySchema,
  MadeKeySchema,
  RotateBody,
} from 'pawl/internal/contract/access-key';
import { IDEMPOTENT_BY_KEY } from 'pawl/internal/contract/headers';
import { etagOf, IfMatchByState, preconditionOf } from 'pawl/internal/contract/if-match';
import {
  closed,
  cursorOf,
  PAGE_DEFAULT,
  pagedBy,
  pageOf,
  text,
  Uuid,
} from 'pawl/internal/contract/values';
import { timeOrNull, timeText } from 'pawl/internal/contract/event-view';

const KeyParams = Type.Object({ id: text(64, 1) });

const OVERLAP_MS = 86_400_000;

function keyJson(key: AccessKey): KeyJson {
  return {
    id: key.id,
    tenant: key.tenant,
    name: key.name,
    roles: [...key.roles],
    scopes: key.scopes === null ? null : [...key.scopes],
    queues: key.queues === null ? null : [...key.queues],
    groups: [...(key.groups ?? [])],
    createdAt: timeText(key.createdAt),
    createdBy: key.createdBy,
    expiresAt: timeOrNull(key.expiresAt),
    revokedAt: timeOrNull(key.revokedAt),
    replacedBy: key.replacedBy,
    lastUsedAt: timeOrNull(key.usedAt),
  };
}

const KeyCursor = cursorOf('^[0-9A-Za-z]+$');

function depsOf({ engine, pluginScopes }: Services): KeyDependencies {
  return { accessKeys: engine.accessKeys, ids: engine.ids, pluginScopes };
}

function makeKey(app: App, services: Services): void {
  app.post(
    '/v1/keys',
    {
      schema: {
        tags: ['Access'],
        operationId: 'createKey',
        summary: 'Make an API key',
        description:
          'The key is shown in this answer and never again: only its hash is kept. It allows ' +
          'what its roles allow, narrowed to `scopes` where given, and never more than its ' +
          'maker. The claims of a key with `queues` are bound to these. The same request again ' +
          'with the same `Idempotency-Key` makes no second key (409 with the id of the first).',
        headers: IDEMPOTENT_BY_KEY,
        body: keyBody(services.pluginScopes),
        response: { 201: MadeKeySchema },
        errors: ['ALREADY_EXISTS'],
      },
    },
    async (request, reply) => {
      const idempotencyKey = request.headers['idempotency-key'];
      const { key, text: secret } = await createKey(depsOf(services), credentialOf(request), {
        ...request.body,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      });
      return reply
        .code(201)
        .header('location', `/v1/keys/${key.id}`)
        .send({ ...keyJson(key), key: secret });
    },
  );
}

function listKeys(app: App, { engine }: Services): void {
  app.get(
    '/v1/keys',
    {
      schema: {
        tags: ['Access'],
        operationId: 'listKeys',
        summary: "The tenant's API keys, by id",
        querystring: closed(pagedBy(KeyCursor)),
        response: { 200: pageOf(KeySchema) },
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const { limit = PAGE_DEFAULT, cursor } = request.query;
      const found = await engine.accessKeys.list(tenant, { after: cursor, limit: limit + 1 });
      const { page, nextCursor } = pageBefore(found, limit, ({ id }) => id);
      return sendPage(reply, page.map(keyJson), nextCursor);
    },
  );
}

function readKey(app: App, services: Services): void {
  app.get(
    '/v1/keys/:id',
    {
      schema: {
        tags: ['Access'],
        operationId: 'readKey',
        summary: 'One API key',
        params: KeyParams,
        response: { 200: KeySchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      const key = await findKey(depsOf(services), credentialOf(request), request.params.id);
      return reply.headers(etagOf(keyTag(key))).send(keyJson(key));
    },
  );
}

function rotate(app: App, services: Services): void {
  app.post(
    '/v1/keys/:id/rotate',
    {
      schema: {
        tags: ['Access'],
        operationId: 'rotateKey',
        summary: 'Replace an API key',
        description:
          'Makes a key with the same rights; the old one is valid for `overlapMs`, so that its ' +
          'users can change over one by one. A key is replaced once: a repeat is refused (409), ' +
          'and the new key can itself be rotated.',
        params: KeyParams,
        headers: IfMatchByState,
        body: RotateBody,
        response: { 201: MadeKeySchema },
        errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION', 'PRECONDITION_FAILED'],
      },
    },
    async (request, reply) => {
      const { overlapMs = OVERLAP_MS } = request.body;
      const requires = preconditionOf(request.headers);
      const asked = { id: request.params.id, overlapMs, requires };
      const made = await rotateKey(depsOf(services), credentialOf(request), asked);
      return reply
        .code(201)
        .header('location', `/v1/keys/${made.key.id}`)
        .send({ ...keyJson(made.key), key: made.text });
    },
  );
}

function revoke(app: App, services: Services): void {
  app.post(
    '/v1/keys/:id/revoke',
    {
      schema: {
        tags: ['Access'],
        operationId: 'revokeKey',
        summary: 'End an API key',
        description: 'It is refused within 5 s on every server. A repeat: unchanged.',
        params: KeyParams,
        headers: IfMatchByState,
        body: closed({}),
        response: { 200: KeySchema },
        errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
      },
    },
    async (request, reply) => {
      const requires = preconditionOf(request.headers);
      const by = credentialOf(request);
      const key = await revokeKey(depsOf(services), by, request.params.id, requires);
      return reply.headers(etagOf(keyTag(key))).send(keyJson(key));
    },
  );
}

function readAudit(app: App, { engine }: Services): void {
  app.get(
    '/v1/audit',
    {
      schema: {
        tags: ['Access'],
        operationId: 'readAudit',
        summary: 'What administrators did, newest first',
        querystring: closed(pagedBy(Uuid)),
        response: { 200: pageOf(AuditSchema) },
      },
    },
    async (request, reply) => {
      const { limit = 50, cursor } = request.query;
      const entries = await engine.audit.list({
        tenant: callerOf(request).tenant,
        limit: limit + 1,
        ...(cursor === undefined ? {} : { before: cursor }),
      });
      const page = entries.slice(0, limit);
      const items = page.map(({ id, at, actor, action, subject, details }) => ({
        id,
        at: timeText(at),
        actor,
        action,
        subject,
        details: details === null ? null : (JSON.parse(details) as unknown),
      }));
      return sendPage(reply, items, entries.length > limit ? page.at(-1)!.id : null);
    },
  );
}

/** `/v1/keys` and `/v1/audit`: API keys and the audit log. */
export const keys: Resource = routes(makeKey, listKeys, readKey, rotate, revoke, readAudit);
