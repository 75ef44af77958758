import {
  invalidLink,
  type LinkKey,
  pack,
  signText,
  unpack,
  verifyText,
} from '../../artifact/link.ts';
import { linkRefusal } from '../../codec/sealed.ts';
import type { Instant } from '../../core/clock.ts';
import { type Fault, invalid, PawlError } from '../../core/errors.ts';
import type { Job, JobRef, JsonText } from '../../core/job.ts';
import { PAYLOADS, payloadRefusal } from '../../core/payload.ts';
import { isTerminal } from '../../core/phase.ts';
import type { EngineContext } from '../context.ts';
import { checkName } from '../enqueue-request.ts';
import { type Ownership, ownershipRefusal } from '../owner.ts';
import { notFound } from '../refusals.ts';
import { isBlind } from './blind.ts';
import { send } from './messages.ts';

/** What links are made with. */
export interface LinkSigning {
  /** Where people reach this platform; null: nobody has said it. */
  readonly publicUrl: string | null;
  /** The one that signs first; retired ones whose links still live. */
  readonly keys: readonly LinkKey[];
}

export interface LinkRequest {
  readonly ref: JobRef;
  /** The name of the message. */
  readonly name: string;
  /** What the message says; left out, whoever opens the link is asked. */
  readonly value?: JsonText;
  /** Left out: while the job is open. */
  readonly ttlMs?: number;
}

export interface MessageLink {
  readonly url: string;
  readonly expiresAt: Instant;
}

/** What a link is good for. */
export interface LinkedMessage {
  readonly ref: JobRef;
  readonly type: string;
  readonly name: string;
  /** Null: whoever opens the link is asked. */
  readonly value: JsonText | null;
  /** Of the wait that takes the message, as far as it is known. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly expiresAt: Instant;
}

export const MESSAGE_LINKS_PATH = '/v1/message-links';

/** The page is read with one method and answered with the other. */
const USE = 'GET POST';
const TTL_MS_MIN = 1_000;
const TTL_MS_MAX: number = 366 * 86_400_000;
/** It is a part of the address, which must stay short. */
const VALUE_BYTES_MAX = 1_024;
/** As the history names who sent a message by a link. */
const LINK_ACTOR = 'api:message-link';

/** An address by which anybody who has it can send the job one message. */
export async function messageLink(
  context: EngineContext,
  request: LinkRequest,
  held: Ownership | null = null,
): Promise<MessageLink> {
  checkLink(request);
  const { name, value, ttlMs = TTL_MS_MAX } = request;
  const [job] = await context.store.read([request.ref]);
  if (!job) throw notFound(request.ref);
  const lost = held === null ? null : ownershipRefusal(job, held);
  if (lost !== null) throw lost;
  if (isTerminal(job.phase)) throw ended(job);
  if (await isBlind(context, job)) throw linkRefusal(job.id);
  const { publicUrl, keys } = signingOf(context);
  const query = [
    `tenant=${pack(job.tenant)}`,
    `job=${job.id}`,
    `name=${pack(name)}`,
    ...(value === undefined ? [] : [`value=${pack(value)}`]),
  ].join('&');
  const text = `${MESSAGE_LINKS_PATH}/${context.ids.next()}?${query}`;
  const now = context.clock.now();
  const link = signText({ use: USE, text }, { keys, now, ttlMs });
  return { url: `${publicUrl}${link}`, expiresAt: Math.ceil(now) + ttlMs };
}

function checkLink({ name, value, ttlMs }: LinkRequest): void {
  const faults: Fault[] = checkName('/name', name);
  if (value !== undefined && Buffer.byteLength(value) > VALUE_BYTES_MAX) {
    const max = VALUE_BYTES_MAX.toLocaleString('en-US');
    const message = `must be at most ${max} bytes of JSON: it becomes a part of the address`;
    faults.push({ pointer: '/value', message });
  }
  if (ttlMs !== undefined && !(ttlMs >= TTL_MS_MIN && ttlMs <= TTL_MS_MAX)) {
    faults.push({ pointer: '/ttl', message: 'must be between a second and 366 days' });
  }
  if (faults.length > 0) throw invalid(faults);
  const refusal = value === undefined ? null : payloadRefusal(PAYLOADS.message, value, '/value');
  if (refusal !== null) throw refusal;
}

function signingOf({ links }: EngineContext): LinkSigning & { readonly publicUrl: string } {
  if (links !== null && links.publicUrl !== null) return { ...links, publicUrl: links.publicUrl };
  const message =
    'a message link needs the address at which people reach this platform, and none is set: set ' +
    'PAWL_PUBLIC_URL for "pawl start", or `publicUrl` for openPawl';
  throw new PawlError('NOT_CONFIGURED', message, { details: { setting: 'PAWL_PUBLIC_URL' } });
}

interface Claims {
  readonly id: string;
  readonly ref: JobRef;
  readonly name: string;
  readonly value: JsonText | null;
  readonly expiresAt: Instant;
}

const UUID = '[0-9a-f-]{36}';
const LINK = new RegExp(
  [
    String.raw`^${MESSAGE_LINKS_PATH}/(${UUID})\?tenant=([\w-]*)`,
    `job=(${UUID})`,
    String.raw`name=([\w-]*)(?:&value=([\w-]*))?$`,
  ].join('&'),
);

function claimsOf({ links, clock }: EngineContext, url: string): Claims {
  const options = { keys: links?.keys ?? [], now: clock.now(), ttlMsMax: TTL_MS_MAX };
  const { text, expiresAt } = verifyText({ use: USE, url }, options);
  const match = LINK.exec(text);
  if (match === null) throw invalidLink();
  const [, id, tenant, job, name, value] = match;
  return {
    id: id!,
    ref: { tenant: unpack(tenant!), id: job! },
    name: unpack(name!),
    value: value === undefined ? null : unpack(value),
    expiresAt,
  };
}

/** A link is remembered by the message that was sent with it. */
function keyOf({ id }: Claims): string {
  return `link/${id}`;
}

/** What a link is good for, by its path and query. Nothing is changed: mail scanners open links. */
export async function readLink(context: EngineContext, url: string): Promise<LinkedMessage> {
  const claims = claimsOf(context, url);
  const { ref, name, value, expiresAt } = claims;
  const { flows } = context.records;
  const { sent } = await flows.mailbox(ref, keyOf(claims));
  if (sent !== null) throw used();
  const [job] = await context.store.read([ref]);
  if (!job || isTerminal(job.phase)) throw over();
  const schema = value === null ? await schemaOf(context, job, name) : null;
  return { ref, type: job.type, name, value, schema, expiresAt };
}

/** Of the waits for the message one that is open tells more than one that has taken another. */
async function schemaOf(
  { records }: EngineContext,
  job: Job,
  name: string,
): Promise<LinkedMessage['schema']> {
  const waits = (await records.flows.allWaits(job)).flatMap(({ wait }) =>
    wait.kind === 'message' && wait.message === name ? [wait] : [],
  );
  const found = waits.find(({ taken }) => taken === null) ?? waits.at(-1);
  return found?.schema ?? null;
}

/** Sends the message of a link, once. A link that carries a value sends that and nothing else. */
export async function useLink(
  context: EngineContext,
  url: string,
  payload: JsonText,
): Promise<{ readonly id: string }> {
  const claims = claimsOf(context, url);
  const { ref, name, value } = claims;
  const refusal = payloadRefusal(PAYLOADS.message, payload, '/value');
  if (refusal !== null) throw refusal;
  const message = { ref, name, payload: value ?? payload, key: keyOf(claims), actor: LINK_ACTOR };
  const sent = await send(context, message).catch((error: unknown) => {
    const isOver =
      error instanceof PawlError && ['ILLEGAL_TRANSITION', 'NOT_FOUND'].includes(error.code);
    throw isOver ? over() : error;
  });
  if (!sent.isNew) throw used();
  return { id: sent.id };
}

function ended({ id, state }: Job): PawlError {
  const message = `job ${id} has ended as ${state}: it receives no more messages`;
  return new PawlError('ILLEGAL_TRANSITION', message);
}

function used(): PawlError {
  const message = 'the link was used already: it can be used once';
  return new PawlError('LINK_USED', message);
}

function over(): PawlError {
  const message = 'the link has expired: the job has ended and no longer waits for an answer';
  return new PawlError('LINK_EXPIRED', message);
}
