import { Type } from 'typebox';
import { invalid, PawlError } from 'pawl/internal/core/errors';
import type { ChildItem, SpawnRequest, WaitRequest } from 'pawl/internal/core/flow';
import type { FastifyRequest } from 'fastify';
import { type Ownership, ownershipRefusal } from 'pawl/internal/engine/owner';
import { definitionOf } from 'pawl/internal/engine/stored-definition';
import { childResultsJson, LINK_TEXT, linkJson, linkOf, waitStateJson } from './flow-view.ts';
import { type App, credentialOf, type Resource, routes, type Services } from './services.ts';
import {
  AsideBody,
  AwaitBody,
  AwaitedSchema,
  ChildrenBody,
  type ChildrenJson,
  ChildResultSchema,
  ResultsBody,
  SuspendBody,
  WaitName,
  type WaitJson,
} from 'pawl/internal/contract/flow';
import { MessageLinkSchema, OwnLinkBody } from 'pawl/internal/contract/message-link';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import { JobParams, JobSchema } from 'pawl/internal/contract/job';
import { closed, nullable } from 'pawl/internal/contract/values';
import { jobJson } from './view.ts';
import { heldBy, REPORT_LIMITS } from './workers.ts';

/** What the routes of an owner have in common. */
const OWNED = {
  tags: ['Worker protocol'],
  headers: IDEMPOTENT_BY_STATE,
} as const;

export const WaitParams = Type.Object({ ...JobParams.properties, name: WaitName });

function childOf(child: ChildrenJson['items'][number]): ChildItem {
  const { key, input, inputHash, type: _, ...options } = child;
  const item: ChildItem = {
    key,
    input: JSON.stringify(input ?? null),
    ...(inputHash === undefined ? {} : { inputHash }),
  };
  return Object.keys(options).length === 0 ? item : { ...item, options };
}

function spawnOf(body: ChildrenJson): SpawnRequest {
  const { wait, items, onFailure = 'throw', onParentEnd, offset, isLast = true } = body;
  const [first] = items;
  const other = items.findIndex(({ type }) => type !== first?.type);
  if (other !== -1) {
    const message = `must be "${first!.type}", as of the first: a wait is for jobs of one type`;
    throw invalid([{ pointer: `/items/${other}/type`, message }]);
  }
  return {
    wait,
    type: first?.type ?? '',
    onFailure,
    ...(onParentEnd === undefined ? {} : { onParentEnd }),
    items: items.map(childOf),
    ...(offset === undefined ? {} : { offset }),
    isLast,
  };
}

const CHILDREN_TEXT =
  'Starts jobs that belong to this one, under the name of a wait and a key each, of one type. ' +
  'They have its tenant, requester, correlation and trace, and at most its deadline. The same ' +
  'request again finds the same children; a kept name with another type or input is refused. A ' +
  "credential without `jobs:write` may start the types that the parent's type lists in `calls`.";

/** Who may not make jobs may still let its own jobs call what their type says they call. */
async function checkCalls(
  { engine }: Services,
  request: FastifyRequest,
  { held, type }: { held: Ownership; type: string },
): Promise<void> {
  if (credentialOf(request).scopes.has('jobs:write')) return;
  const { type: parent } = await engine.job(held.ref);
  const { calls } = definitionOf(await engine.registry.type(held.ref.tenant, parent));
  if (calls?.includes(type) === true) return;
  const message =
    `jobs of type "${parent}" may not start jobs of type "${type}" with this credential: ` +
    `list it in \`calls\` of "${parent}", or use a credential with the scope jobs:write`;
  throw new PawlError('FORBIDDEN', message);
}

function spawnChildren(app: App, services: Services): void {
  app.post(
    '/v1/jobs/:id/children',
    {
      ...REPORT_LIMITS,
      schema: {
        ...OWNED,
        operationId: 'spawnChildren',
        summary: 'Start jobs that this one waits for',
        description: CHILDREN_TEXT,
        params: JobParams,
        body: ChildrenBody,
        response: { 200: closed({ ids: Type.Array(Type.String()) }) },
        errors: [
          'NOT_FOUND',
          'LEASE_LOST',
          'UNKNOWN_TYPE',
          'WAIT_CHANGED',
          'LIMIT_EXCEEDED',
          'CONCURRENCY_CONFLICT',
        ],
      },
    },
    async (request) => {
      const held = heldBy(request, request.params.id, request.body);
      const spawn = spawnOf(request.body);
      if (spawn.items.length > 0) await checkCalls(services, request, { held, type: spawn.type });
      const { ids } = await services.engine.flows.spawn(held, spawn);
      return { ids: [...ids] };
    },
  );
}

/** What a wait asks for, with what a body may leave out. */
function waitOf(wait: WaitJson): WaitRequest {
  switch (wait.kind) {
    case 'message':
      return { ...wait, message: wait.message ?? wait.name };
    case 'first':
      return {
        name: wait.name,
        kind: wait.kind,
        members: wait.members.map(({ key, wait: member }) => ({ key, wait: waitOf(member) })),
        onLose: wait.onLose ?? 'cancel',
      };
    default:
      return wait;
  }
}

const AWAIT_TEXT =
  'Begins those of the waits that have not begun, and says what is decided of each. If nothing ' +
  'is, the job is suspended: the turn is over, its lease is given up, no attempt is spent, and ' +
  'it is claimed again, from the top, when one of them is decided. A message that is taken is ' +
  'the oldest of its name. A kept name with another kind is refused.';

function awaitAll(app: App, services: Services): void {
  const { engine } = services;
  app.post(
    '/v1/jobs/:id/await',
    {
      schema: {
        ...OWNED,
        operationId: 'awaitAll',
        summary: 'Wait for jobs, messages and time',
        description: AWAIT_TEXT,
        params: JobParams,
        body: AwaitBody,
        response: { 200: AwaitedSchema },
        errors: ['NOT_FOUND', 'LEASE_LOST', 'ILLEGAL_TRANSITION', 'WAIT_CHANGED', 'LIMIT_EXCEEDED'],
      },
    },
    async (request) => {
      const held = heldBy(request, request.params.id, request.body);
      const { waits: asked, suspend: mayEnd = true } = request.body;
      const names = asked.map(({ name }) => name);
      const states = await engine.flows.decide(held, asked.map(waitOf));
      const suspended = mayEnd && states.every(({ state }) => state === 'open');
      if (suspended) await suspend(engine, held, names);
      const waits = states.map((state, index) =>
        waitStateJson(services, held.ref.tenant, { name: names[index]!, state }),
      );
      return { suspended, waits: await Promise.all(waits) };
    },
  );
}

async function suspend(
  engine: Services['engine'],
  held: Ownership,
  waits: readonly string[],
): Promise<void> {
  const [outcome] = await engine.settle([{ ...held, ending: { kind: 'suspend', waits } }]);
  if (outcome!.kind === 'refused') throw outcome!.error;
}

function suspendJob(app: App, { engine }: Services): void {
  app.post(
    '/v1/jobs/:id/suspend',
    {
      schema: {
        ...OWNED,
        operationId: 'suspendJob',
        summary: 'End a turn that waits',
        description:
          'For waits that were begun with `suspend: false`: the job is claimed again when one of ' +
          'them is decided, also if that happened meanwhile. The same report again: unchanged.',
        params: JobParams,
        body: SuspendBody,
        response: { 200: JobSchema },
        errors: ['NOT_FOUND', 'LEASE_LOST', 'ILLEGAL_TRANSITION'],
      },
    },
    async (request) => {
      const held = heldBy(request, request.params.id, request.body);
      await suspend(engine, held, request.body.waits);
      return jobJson(await engine.job(held.ref));
    },
  );
}

function takeResults(app: App, services: Services): void {
  app.post(
    '/v1/jobs/:id/waits/:name/results',
    {
      schema: {
        ...OWNED,
        operationId: 'takeResults',
        summary: 'Results of children, for the owner of their parent',
        description: 'Page by page, in the order of the items; a repeat answers the same.',
        params: WaitParams,
        body: ResultsBody,
        response: {
          200: closed({
            results: Type.Array(ChildResultSchema),
            next: nullable(Type.String({ description: 'The `after` of the next page.' })),
          }),
        },
        errors: ['NOT_FOUND', 'LEASE_LOST'],
      },
    },
    async (request) => {
      const { id, name } = request.params;
      const { after = null, limit = 1_000 } = request.body;
      const held = heldBy(request, id, request.body);
      const lost = ownershipRefusal(await services.engine.job(held.ref), held);
      if (lost !== null) throw lost;
      const page = await services.engine.flows.results(held.ref, name, { after, limit });
      const results = await childResultsJson(services, held.ref.tenant, page.results);
      return { results, next: page.next };
    },
  );
}

function setAside(app: App, { engine }: Services): void {
  app.post(
    '/v1/jobs/:id/messages/:message/aside',
    {
      schema: {
        ...OWNED,
        operationId: 'setAside',
        summary: 'Refuse a message that a wait has taken',
        description:
          'For one that does not match what the worker expects: it is kept and shown with the ' +
          'fault, and the wait takes the next one.',
        params: Type.Object({ ...JobParams.properties, message: WaitName }),
        body: AsideBody,
        response: { 200: closed({ id: Type.String() }) },
        errors: ['NOT_FOUND', 'LEASE_LOST'],
      },
    },
    async (request) => {
      const { id, message } = request.params;
      const held = heldBy(request, id, request.body);
      await engine.flows.setAside(held, { id: message, fault: request.body.reason });
      return { id: message };
    },
  );
}

function makeOwnLink(app: App, { engine }: Services): void {
  app.post(
    '/v1/jobs/:id/links',
    {
      schema: {
        ...OWNED,
        operationId: 'makeOwnMessageLink',
        summary: 'A link to a message, for the owner of the job',
        description: LINK_TEXT,
        params: JobParams,
        body: OwnLinkBody,
        response: { 200: MessageLinkSchema },
        errors: ['NOT_FOUND', 'LEASE_LOST', 'ILLEGAL_TRANSITION', 'NOT_CONFIGURED'],
      },
    },
    async (request) => {
      const { workerId: _worker, epoch: _epoch, token: _token, ...link } = request.body;
      const held = heldBy(request, request.params.id, request.body);
      return linkJson(await engine.flows.messageLink(linkOf(held.ref, link), held));
    },
  );
}

/** The worker protocol: waiting, in any language. */
export const flows: Resource = routes(
  spawnChildren,
  awaitAll,
  suspendJob,
  takeResults,
  setAside,
  makeOwnLink,
);
