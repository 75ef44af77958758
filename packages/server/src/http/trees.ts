import { Type } from 'typebox';
import type { TreeView } from 'pawl/internal/engine/flows/flows';
import { childResultsJson, LINK_TEXT, linkJson, linkOf } from './flow-view.ts';
import { WaitParams } from './flows.ts';
import { cutPage, sendPage } from './page.ts';
import {
  ChildResultSchema,
  MessageBody,
  MessageHeaders,
  MessageSchema,
  SentSchema,
  type TreeJson,
  TreeSchema,
} from 'pawl/internal/contract/flow';
import { LinkBody, MessageLinkSchema } from 'pawl/internal/contract/message-link';
import { timeText } from 'pawl/internal/contract/event-view';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import { JobParams } from 'pawl/internal/contract/job';
import { closed, cursorOf, pagedBy, pageOf } from 'pawl/internal/contract/values';
import { actorOf, type App, refOf, type Resource, routes, type Services } from './services.ts';
import { REPORT_LIMITS } from './workers.ts';

function sendMessage(app: App, { engine }: Services): void {
  app.post(
    '/v1/jobs/:id/messages',
    {
      ...REPORT_LIMITS,
      schema: {
        tags: ['Jobs'],
        operationId: 'sendMessage',
        summary: 'Send a job a message',
        description:
          'It is kept in the mailbox of the job until a wait of the job takes it, also if that ' +
          'comes later. Sent again under the same `key` (or `Idempotency-Key`) it is the same ' +
          'message. Who receives it checks it; one that does not fit is set aside and shown.',
        params: JobParams,
        headers: MessageHeaders,
        body: MessageBody,
        response: { 202: SentSchema },
        errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION', 'LIMIT_EXCEEDED'],
      },
    },
    async (request, reply) => {
      const { name, payload = null } = request.body;
      const { key = request.headers['idempotency-key'] } = request.body;
      const sent = await engine.flows.send({
        ref: refOf(request, request.params.id),
        name,
        payload: JSON.stringify(payload),
        ...(key === undefined ? {} : { key }),
        actor: actorOf(request),
      });
      return reply.code(202).send({ id: sent.id, isNew: sent.isNew });
    },
  );
}

function makeLink(app: App, { engine }: Services): void {
  app.post(
    '/v1/jobs/:id/messages/links',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'makeMessageLink',
        summary: 'A link by which anybody sends a job one message',
        description: LINK_TEXT,
        params: JobParams,
        headers: IDEMPOTENT_BY_STATE,
        body: LinkBody,
        response: { 200: MessageLinkSchema },
        errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION', 'NOT_CONFIGURED'],
      },
    },
    async (request) => {
      const ref = refOf(request, request.params.id);
      return linkJson(await engine.flows.messageLink(linkOf(ref, request.body)));
    },
  );
}

function listMessages(app: App, { engine }: Services): void {
  app.get(
    '/v1/jobs/:id/messages',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'listMessages',
        summary: 'The mailbox of a job',
        description: 'Oldest first, including those that were received or set aside.',
        params: JobParams,
        querystring: closed(pagedBy(cursorOf('^\\d{1,15}$'))),
        response: {
          200: closed({
            ...pageOf(MessageSchema).properties,
            isSealed: Type.Boolean({
              description:
                "True: the job's payloads are encrypted, and messages that are not are refused.",
            }),
          }),
        },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      const ref = refOf(request, request.params.id);
      const isSealed = await engine.flows.isBlind(await engine.job(ref));
      const messages = await engine.flows.messages(ref);
      const { page, nextCursor } = cutPage(messages, request.query, {
        placeOf: ({ id }) => id,
        isAfter: (place, last) => Number(place) > Number(last),
      });
      const items = page.map(({ payload, at, fault, ...rest }) => ({
        ...rest,
        setAside: fault,
        payload: JSON.parse(payload) as unknown,
        at: timeText(at),
      }));
      return { ...sendPage(reply, items, nextCursor), isSealed };
    },
  );
}

function treeJson({ waits, ...job }: TreeView): TreeJson {
  return {
    ...job,
    waits: waits.map(({ until, jobs, counts, ...wait }) => ({
      ...wait,
      members: [...wait.members],
      schema: wait.schema === null ? null : { ...wait.schema },
      counts: counts === null ? null : { ...counts },
      until: until === null ? null : timeText(until),
      jobs: jobs.map(treeJson),
    })),
  };
}

function readTree(app: App, { engine }: Services): void {
  app.get(
    '/v1/jobs/:id/tree',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'readTree',
        summary: 'What a job waits for, and what that waits for in turn',
        description: 'With progress; of a large set of children, only the first 50 are listed.',
        params: JobParams,
        response: { 200: TreeSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) => treeJson(await engine.flows.tree(refOf(request, request.params.id))),
  );
}

function readResults(app: App, services: Services): void {
  app.get(
    '/v1/jobs/:id/waits/:name/results',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'readWaitResults',
        summary: 'How the children of a wait ended',
        description:
          'In the order in which they were given; those that have not ended are left out.',
        params: WaitParams,
        querystring: closed(pagedBy(cursorOf('^\\d{1,15}$'))),
        response: { 200: pageOf(ChildResultSchema) },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      const { id, name } = request.params;
      const { limit = 50, cursor = null } = request.query;
      const ref = refOf(request, id);
      const page = await services.engine.flows.results(ref, name, { after: cursor, limit });
      const items = await childResultsJson(services, ref.tenant, page.results);
      return sendPage(reply, items, page.next);
    },
  );
}

/** Trees of jobs and their mailboxes, for who looks on and who has something to say. */
export const trees: Resource = routes(sendMessage, makeLink, listMessages, readTree, readResults);
