import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { AnswerBody, LinkedMessageSchema } from 'pawl/internal/contract/message-link';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import { timeText } from 'pawl/internal/contract/event-view';
import { type FormBody, valueIn } from 'pawl/internal/contract/message-form';
import { closed, Uuid } from 'pawl/internal/contract/values';
import type { Flows } from 'pawl/internal/engine/flows/flows';
import { type LinkedMessage, MESSAGE_LINKS_PATH } from 'pawl/internal/engine/flows/message-link';
import { askPage, PAGE_HEADERS, refusalPage, sentPage } from './message-page.ts';
import { pawlErrorOf } from './problem.ts';
import type { App } from './services.ts';
import { validatorCompiler } from './validation.ts';

/** What one reader may send: a form, or JSON. */
const BODY_BYTES_MAX = 64 * 1024;

const HTML = { 'text/html': { schema: Type.String() } };
const LinkParams = closed({ id: Uuid });

/** What a browser filled in, as it came. */
class FormFields {
  readonly values: FormBody;

  constructor(text: string) {
    this.values = new Map(new URLSearchParams(text));
  }
}

function wantsPage({ headers, body }: FastifyRequest): boolean {
  return body instanceof FormFields || (headers.accept ?? '').includes('text/html');
}

function sendPage(reply: FastifyReply, status: number, html: string): void {
  void reply.code(status).headers(PAGE_HEADERS).send(html);
}

/** People are told on a page why a link leads nowhere, programs as by every other route. */
async function orRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const known = pawlErrorOf(error);
    if (!wantsPage(request) || known.status >= 500) throw error;
    sendPage(reply, known.status, refusalPage(known));
  }
}

const NOTHING_ENTERED = { faults: [], entered: new Map<string, string>() };

function readLink(app: App, flows: Flows): void {
  app.get(
    `${MESSAGE_LINKS_PATH}/:id`,
    {
      exposeHeadRoute: false,
      schema: {
        tags: ['Jobs'],
        operationId: 'readMessageLink',
        summary: 'What a message link does',
        description:
          'For people a page with a button or a form. Nothing is changed by it, however often it ' +
          'is opened. The link is its own credential: it must be used to the byte as it was given.',
        params: LinkParams,
        response: {
          200: {
            description: 'A page, or JSON if the request does not accept HTML.',
            content: { ...HTML, 'application/json': { schema: LinkedMessageSchema } },
          },
        },
        hasPages: true,
        errors: ['NOT_FOUND', 'LINK_INVALID', 'LINK_EXPIRED', 'LINK_USED'],
      },
    },
    (request, reply) =>
      orRefusal(request, reply, async () => {
        const link = await flows.readLink(request.url);
        if (wantsPage(request)) sendPage(reply, 200, askPage(link, NOTHING_ENTERED));
        else void reply.send(linkedJson(link));
      }),
  );
}

function linkedJson(link: LinkedMessage): Static<typeof LinkedMessageSchema> {
  const { ref, type, name, value, schema, expiresAt } = link;
  const hasValue = value !== null;
  return {
    jobId: ref.id,
    type,
    name,
    hasValue,
    schema: schema && { ...schema },
    expiresAt: timeText(expiresAt),
  };
}

function useLink(app: App, flows: Flows): void {
  app.post(
    `${MESSAGE_LINKS_PATH}/:id`,
    {
      bodyLimit: BODY_BYTES_MAX,
      schema: {
        tags: ['Jobs'],
        operationId: 'useMessageLink',
        summary: 'Send the message of a link, once',
        description:
          'The form of the page, or JSON. The first answer counts; every later one is refused ' +
          'with `LINK_USED`.',
        params: LinkParams,
        headers: IDEMPOTENT_BY_STATE,
        body: Type.Unsafe<FormFields | { value?: unknown }>(AnswerBody),
        response: {
          200: {
            description: 'A confirmation page for the person who sent the form.',
            content: HTML,
          },
          202: closed({ id: Type.String({ description: 'The id of the message.' }) }),
        },
        hasPages: true,
        errors: ['NOT_FOUND', 'LINK_INVALID', 'LINK_EXPIRED', 'LINK_USED', 'LIMIT_EXCEEDED'],
      },
      // A form is read by the schema of the message.
      validatorCompiler: (definition) => {
        const check = validatorCompiler(definition);
        return (data: unknown) => (data instanceof FormFields ? { value: data } : check(data));
      },
    },
    (request, reply) =>
      orRefusal(request, reply, async () => {
        const { body, url } = request;
        if (!(body instanceof FormFields)) {
          const sent = await flows.useLink(url, JSON.stringify(body.value ?? null));
          void reply.code(202).send(sent);
          return;
        }
        const link = await flows.readLink(url);
        const read = link.value === null ? valueIn(link.schema, body.values) : { value: null };
        if ('faults' in read) {
          const entered = { faults: read.faults, entered: body.values };
          sendPage(reply, 400, askPage(link, entered));
          return;
        }
        await flows.useLink(url, JSON.stringify(read.value));
        sendPage(reply, 200, sentPage());
      }),
  );
}

/** Where people without a credential answer jobs that wait for them. */
export function messageLinkRoutes(flows: Flows): FastifyPluginCallback {
  return (untyped, _options, done) => {
    untyped.addContentTypeParser(
      /^application\/x-www-form-urlencoded\s*(?:;|$)/,
      { parseAs: 'string' },
      (_request, body, next) => next(null, new FormFields(body as string)),
    );
    const app = untyped.withTypeProvider<TypeBoxTypeProvider>();
    readLink(app, flows);
    useLink(app, flows);
    done();
  };
}
