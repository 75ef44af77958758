import { type Fault, invalid, PawlError } from '../../core/errors.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { PAYLOADS, payloadRefusal } from '../../core/payload.ts';
import { isTerminal } from '../../core/phase.ts';
import { isStorable } from '../../core/text.ts';
import {
  MAILBOX_MAX,
  mailboxOp,
  markOp,
  messageOp,
  sentOp,
  type StoredMessage,
  type StoredWait,
  waitOp,
} from '../../records/flows.ts';
import type { RecordOp } from '../../store/records.ts';
import type { EngineContext } from '../context.ts';
import { checkName } from '../enqueue-request.ts';
import { fenceOf, type Ownership } from '../owner.ts';
import { notFound } from '../refusals.ts';
import { type Plan, transition } from '../transition.ts';
import { refusePlainMessage } from './blind.ts';
import type { MessageView, SendRequest } from './flows.ts';
import { whyRefused } from './fence.ts';

const KEY_LENGTH_MAX = 256;
const SHOWN_MAX = MAILBOX_MAX;
/** Many may write to one mailbox at once, and each time one of them comes first. */
const ROUNDS_MAX = 100;

/**
 * Puts a message into a job's mailbox. Its number is the version of the job's event about it, so
 * messages are in the order of their commits and each has its entry in the log.
 */
export async function send(
  context: EngineContext,
  request: SendRequest,
): Promise<{ id: string; isNew: boolean }> {
  checkMessage(request);
  const { ref, actor } = request;
  for (let round = 1; ; round++) {
    const answer: { number: number | null; isNew: boolean } = { number: null, isNew: false };
    const [outcome] = await transition(context, [
      {
        ref: { tenant: ref.tenant, id: ref.id },
        actor,
        known: null,
        fence: (job) => ({ kind: 'version', version: job.version }),
        plan: async (job) => {
          const plan = await planMessage(context, job, request);
          answer.isNew = plan.kind === 'annotate';
          answer.number = plan.kind === 'leave' ? plan.number : job.version + 1;
          return plan;
        },
      },
    ]);
    if (outcome!.kind !== 'refused') return { id: String(answer.number), isNew: answer.isNew };
    const isContended = outcome!.error.code === 'STORE_UNAVAILABLE';
    if (!isContended || round === ROUNDS_MAX) throw outcome!.error;
  }
}

function checkMessage({ name, payload, key }: SendRequest): void {
  const faults: Fault[] = checkName('/name', name);
  if (key !== undefined && (key === '' || key.length > KEY_LENGTH_MAX || !isStorable(key))) {
    const message = `must be a text of 1 to ${KEY_LENGTH_MAX} characters`;
    faults.push({ pointer: '/key', message });
  }
  if (faults.length > 0) throw invalid(faults);
  const refusal = payloadRefusal(PAYLOADS.message, payload, '/payload');
  if (refusal !== null) throw refusal;
}

type MessagePlan = Exclude<Plan, { kind: 'leave' }> | { kind: 'leave'; number: number | null };

async function planMessage(
  context: EngineContext,
  job: Job,
  { name, payload, key, actor }: SendRequest,
): Promise<MessagePlan> {
  const { records } = context;
  const ref = { tenant: job.tenant, id: job.id };
  const { sent, waiting } = await records.flows.mailbox(ref, key ?? null);
  if (sent !== null) return { kind: 'leave', number: sent };
  const error = mailboxRefusal(job, waiting);
  if (error !== null) return { kind: 'refuse', error };
  await refusePlainMessage(context, job, payload);
  const number = job.version + 1;
  const message = { number, name, payload, by: actor, takenBy: null, fault: null };
  const ops: RecordOp[] = [
    messageOp(ref, message, { expected: 'absent' }),
    mailboxOp(ref, 1),
    markOp(ref),
    ...(key === undefined ? [] : [sentOp(ref, key, number)]),
  ];
  const told = { id: String(number), name };
  const annotation = { event: 'job_message', cause: null, payload: told } as const;
  return { kind: 'annotate', annotation, with: ops };
}

function mailboxRefusal({ id, state, phase }: Job, waiting: number): PawlError | null {
  if (isTerminal(phase)) {
    const message = `job ${id} has ended as ${state}: it receives no more messages`;
    return new PawlError('ILLEGAL_TRANSITION', message);
  }
  if (waiting < MAILBOX_MAX) return null;
  const message = `the mailbox of job ${id} has ${MAILBOX_MAX} messages that were not received`;
  return new PawlError('LIMIT_EXCEEDED', message, { details: { limit: MAILBOX_MAX } });
}

export async function messagesOf(context: EngineContext, ref: JobRef): Promise<MessageView[]> {
  const found = await context.records.flows.messages(ref, SHOWN_MAX);
  return found.map(({ message: { number, ...rest } }) => ({ id: String(number), ...rest }));
}

/** Gives the wait back what it took, and keeps the message out of its way, to be seen. */
export async function setAside(
  context: EngineContext,
  owner: Ownership,
  { id, fault }: { id: string; fault: string },
): Promise<void> {
  const { flows } = context.records;
  const ref = { tenant: owner.ref.tenant, id: owner.ref.id };
  for (;;) {
    const found = await flows.message(ref, Number(id));
    if (found === null) throw new PawlError('NOT_FOUND', `job ${ref.id} has no message ${id}`);
    const { takenBy } = found.message;
    if (found.message.fault !== null || takenBy === null) return;
    const ops = [
      fenceOf(owner),
      ...asideOps(ref, found, { fault, waits: await flows.allWaits(ref) }),
    ];
    const written = await flows.write(ops);
    if (written.kind === 'written') return;
    if (written.reason === 'fenced') throw await whyRefused(context, owner, written.reason);
    if (written.reason === 'missing') throw notFound(ref);
  }
}

function asideOps(
  ref: JobRef,
  { message, record }: StoredMessage,
  { fault, waits }: { fault: string; waits: readonly StoredWait[] },
): RecordOp[] {
  const ops: RecordOp[] = [
    messageOp(ref, { ...message, takenBy: null, fault }, { expected: record }),
  ];
  for (const { name, wait, record: kept } of waits) {
    if (wait.kind === 'message' && name === message.takenBy) {
      ops.push(waitOp(ref, name, { ...wait, taken: null }, kept));
    }
    const member =
      wait.kind === 'first' && wait.members.find((one) => one.name === message.takenBy);
    if (wait.kind === 'first' && member && wait.winner === member.key) {
      ops.push(waitOp(ref, name, { ...wait, winner: null }, kept));
    }
  }
  return ops;
}
