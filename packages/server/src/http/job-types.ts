import { Type } from 'typebox';
import type { FastifyRequest } from 'fastify';
import { entryOf } from '../auth/manage-keys.ts';
import type { Throttle } from 'pawl/internal/core/throttle';
import type { Engine } from 'pawl/internal/engine/engine';
import { unknownType } from 'pawl/internal/engine/refusals';
import { SHARED_TENANT } from 'pawl/internal/engine/registry';
import { definitionOf } from 'pawl/internal/engine/stored-definition';
import type { Credential } from 'pawl/internal/contract/credential';
import { targetOfRecord } from '../slo/registered.ts';
import { type TypeRecord, typeTag } from 'pawl/internal/records/job-types';
import type { DispatchRule } from 'pawl/internal/store/dispatch-rule';
import { pageBefore, sendPage } from './page.ts';
import { mayEnqueue } from './reach.ts';
import {
  type App,
  callerOf,
  credentialOf,
  type Services,
  type Resource,
  routes,
} from './services.ts';
import { etagOf, IfMatchOrNone, preconditionOf } from 'pawl/internal/contract/if-match';
import { TypeBody, type TypeJson, TypeSchema } from 'pawl/internal/contract/type';
import { closed, Name, PAGE_DEFAULT, pagedBy, pageOf } from 'pawl/internal/contract/values';
import { timeText } from 'pawl/internal/contract/event-view';

const Params = Type.Object({ type: Name });

function throttleJson({ ceiling, baseline, failed, ended, since, changedAt }: Throttle) {
  const times = { since: timeText(since), changedAt: timeText(changedAt) };
  return { ceiling, baseline, failureRate: ended === 0 ? 0 : failed / ended, ...times };
}

async function typeJson(
  engine: Engine,
  record: TypeRecord,
  rules: readonly DispatchRule[],
): Promise<TypeJson> {
  const { previews, ...policy } = await engine.registry.policy(record.policy);
  const rule = rules.find(({ scope, name }) => scope === 'type' && name === record.type);
  const throttle = rule?.throttle ?? null;
  const { type, revision, updatedAt } = record;
  const { inputSchema, calls } = definitionOf(record);
  return {
    type,
    revision,
    isShared: record.tenant === SHARED_TENANT,
    ...policy,
    retryable: policy.retryable === null ? null : [...policy.retryable],
    fatal: [...policy.fatal],
    isRetryFixed: policy.isRetryFixed ?? false,
    stages: [...policy.stages],
    ...(previews === undefined ? {} : { previews: [...previews] }),
    slo: targetOfRecord(record),
    ...(inputSchema === undefined ? {} : { inputSchema }),
    ...(calls === undefined ? {} : { calls: [...calls] }),
    throttle: throttle === null ? null : throttleJson(throttle),
    updatedAt: timeText(updatedAt),
  };
}

/**
 * The tenant's own types, and the shared ones that it has not made its own, by name: at most so
 * many of those that the caller may enqueue.
 */
async function typesFor(
  engine: Engine,
  credential: Credential,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<readonly TypeRecord[]> {
  const owners = { tenant: credential.tenant, shared: SHARED_TENANT };
  const found: TypeRecord[] = [];
  for (let last = after; ;) {
    const types = await engine.types.page(owners, { after: last, limit });
    found.push(...types.filter((record) => mayEnqueue(credential, record)));
    if (types.length < limit || found.length >= limit) return found.slice(0, limit);
    last = types.at(-1)!.type;
  }
}

async function told(engine: Engine, request: FastifyRequest, record: TypeRecord): Promise<void> {
  const { type: subject, revision } = record;
  const did = { action: 'type.put', subject, details: { revision } };
  await engine.audit.add([entryOf(engine, credentialOf(request), did)]);
}

const CHANGE_TEXT =
  'Of a type that is registered only what is named is changed: members of `retry`, `lease`, ' +
  '`limits`, `slo` and `expose` one by one, all others as a whole; null gives back what the ' +
  "lifecycle says. To change a type of the platform makes a copy that is the tenant's own. A " +
  'change needs the scope `types:write`: a worker makes known what is not registered yet, or is ' +
  'just as it says.';

const RETRY_TEXT =
  'What is left out of a new type comes from its lifecycle. Jobs that exist live on by the ' +
  'policy of their birth. A failed attempt is retried while `attempts < maxAttempts`, unless its ' +
  'error is fatal: of a class in `fatal`, of none in `retryable` where that is a list, or of one ' +
  'that is final everywhere. The n-th retry waits d = ' +
  'min(maxMs, baseMs · factor^(n−1)), and jitter makes of it: `none` d; `full` U(0, d); `equal` ' +
  'd/2 + U(0, d/2); `decorrelated` min(maxMs, U(baseMs, 3 · previous wait)). A `fixed` backoff ' +
  'waits baseMs, with jitter only where it asks for one. Exhausted jobs end as the lifecycle ' +
  'says, or by `onExhausted`, and are copied to the dead-letter queue by `dlq`. A lease lasts ' +
  '`ttlMs` and needs a heartbeat every `heartbeatMs`; two missed in a row lose it.';

function putType(app: App, { engine }: Services): void {
  app.put(
    '/v1/types/:type',
    {
      schema: {
        tags: ['Types'],
        operationId: 'putType',
        summary: 'Register a type, or change it for the jobs to come',
        description: `${CHANGE_TEXT} ${RETRY_TEXT}`,
        params: Params,
        headers: IfMatchOrNone,
        body: TypeBody,
        response: { 200: TypeSchema, 201: TypeSchema },
        errors: ['PRECONDITION_FAILED'],
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const { type } = request.params;
      const [before] = await engine.types.read([{ tenant, type }]);
      const mayChange = credentialOf(request).scopes.has('types:write');
      const requires = preconditionOf(request.headers);
      const how = { mayChange, requires };
      const record = await engine.changeType({ tenant, type }, request.body, how);
      const isOwn = record.tenant === tenant;
      if (isOwn && before?.revision !== record.revision) await told(engine, request, record);
      const answer = await typeJson(engine, record, await engine.rules(tenant));
      return reply
        .code(isOwn && before === null ? 201 : 200)
        .headers({ location: `/v1/types/${encodeURIComponent(type)}`, ...etagOf(typeTag(record)) })
        .send(answer);
    },
  );
}

function listTypes(app: App, { engine }: Services): void {
  app.get(
    '/v1/types',
    {
      schema: {
        tags: ['Types'],
        operationId: 'listTypes',
        summary: 'Types, by name',
        querystring: closed(pagedBy(Name)),
        response: { 200: pageOf(TypeSchema) },
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const { limit = PAGE_DEFAULT, cursor } = request.query;
      const asked = { after: cursor, limit: limit + 1 };
      const found = await typesFor(engine, credentialOf(request), asked);
      const { page, nextCursor } = pageBefore(found, limit, ({ type }) => type);
      const rules = await engine.rules(tenant);
      const items = await Promise.all(page.map((record) => typeJson(engine, record, rules)));
      return sendPage(reply, items, nextCursor);
    },
  );
}

function readType(app: App, { engine }: Services): void {
  app.get(
    '/v1/types/:type',
    {
      schema: {
        tags: ['Types'],
        operationId: 'readType',
        summary: 'One type',
        params: Params,
        response: { 200: TypeSchema },
        errors: ['UNKNOWN_TYPE'],
      },
    },
    async (request, reply) => {
      const { type } = request.params;
      const { tenant } = callerOf(request);
      const [own, shared] = await engine.types.read([
        { tenant, type },
        { tenant: SHARED_TENANT, type },
      ]);
      const record = own ?? shared ?? null;
      if (record === null || !mayEnqueue(credentialOf(request), record)) throw unknownType(type);
      void reply.headers(etagOf(typeTag(record)));
      return typeJson(engine, record, await engine.rules(tenant));
    },
  );
}

/** `/v1/types`: what a type's jobs live by. */
export const jobTypes: Resource = routes(putType, listTypes, readType);
