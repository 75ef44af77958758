import type { Instant } from '../../core/clock.ts';
import type { Job, JobRef } from '../../core/job.ts';
import type { ChildrenWait, JobsWait, StoredWait } from '../../records/flows.ts';
import type { EngineContext } from '../context.ts';
import { countSet, endOf } from './children.ts';
import { suspensionOf } from './look.ts';

/** What is said of one wait. */
interface Told {
  readonly message: string;
  readonly until: Instant | null;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Tells why another job is not running. */
type Ask = (ref: JobRef) => Promise<{ readonly message: string; readonly reason: string }>;

/** So far down a tree it is told what the oldest open job of a wait waits for itself. */
const DEPTH_MAX = 3;

/** What a suspended job waits for, in a sentence; null where it is not suspended. */
export async function whyWaiting(
  context: EngineContext,
  job: Job,
  { ask, depth }: { ask: Ask; depth: number },
): Promise<Told | null> {
  const suspension = await suspensionOf(context, job);
  if (suspension === null) return null;
  const { at, waits } = await context.records.flows.waits(job, suspension.waits);
  const told: Told[] = [];
  for (const stored of waits) {
    if (stored !== null) told.push(await tellWait(context, job, { stored, at }));
  }
  const oldest = told.flatMap(({ facts }) => (facts['oldest'] as string | undefined) ?? [])[0];
  const below = oldest === undefined || depth >= DEPTH_MAX ? null : await askOf(job, oldest, ask);
  const until = told.flatMap((one) => one.until ?? []).toSorted((one, other) => one - other)[0];
  const list = told.map(({ message }) => message).join('; and for ');
  const more = below === null ? '' : ` The oldest, ${oldest}: ${below}`;
  return {
    message: `It waits for ${list}.${more}`,
    until: until ?? null,
    facts: { waits: told.map(({ facts }) => facts) },
  };
}

async function askOf({ tenant }: JobRef, id: string, ask: Ask): Promise<string> {
  const { message } = await ask({ tenant, id });
  return `${message[0]!.toLowerCase()}${message.slice(1)}`;
}

async function tellWait(
  context: EngineContext,
  job: Job,
  { stored, at }: { stored: StoredWait; at: Instant },
): Promise<Told> {
  const { name, wait } = stored;
  switch (wait.kind) {
    case 'time': {
      const time = new Date(wait.until).toISOString();
      const facts = { name, kind: 'time', until: wait.until };
      return { message: `the time ${time} (\`${name}\`)`, until: wait.until, facts };
    }
    case 'message': {
      const facts = { name, kind: 'message', message: wait.message };
      return { message: `the message "${wait.message}"`, until: null, facts };
    }
    case 'children':
      return tellChildren(context, job, { name, wait });
    case 'jobs':
      return tellNeeds(context, job, wait);
    case 'first': {
      const members = wait.members.map((one) => one.name);
      const inside = await context.records.flows.waits(job, members);
      const told: Told[] = [];
      for (const one of inside.waits) {
        if (one !== null) told.push(await tellWait(context, job, { stored: one, at }));
      }
      const times = told.flatMap(({ until }) => until ?? []);
      return {
        message: `the first of ${told.map(({ message }) => message).join(', ')}`,
        until: times.length === 0 ? null : Math.min(...times),
        facts: { name, kind: 'first', members: told.map(({ facts }) => facts) },
      };
    }
  }
}

async function tellChildren(
  context: EngineContext,
  job: Job,
  { name, wait }: { name: string; wait: ChildrenWait },
): Promise<Told> {
  const counted = await countSet(context, job, { wait: name, set: wait });
  const { succeeded, failed, open, oldest } = counted;
  const [total, left] = [wait.count, open].map((count) => count.toLocaleString('en-US'));
  const facts = { name, kind: 'children', total: wait.count, succeeded, failed, open };
  const held = wait.onFailure === 'hold' ? ', of which those that failed wait for a replay' : '';
  return {
    message: `${left} of ${total} \`${name}\`${held}`,
    until: null,
    facts: oldest === null ? facts : { ...facts, oldest },
  };
}

async function tellNeeds(
  { store }: EngineContext,
  { tenant }: Job,
  { needs, onNeedFailed }: JobsWait,
): Promise<Told> {
  const jobs = await store.read(needs.map((id) => ({ tenant, id })));
  const isOpen = (one: Job | null): one is Job =>
    one !== null && (endOf(one) === null || (endOf(one) === 'failed' && onNeedFailed === 'hold'));
  const open = jobs.filter(isOpen);
  const facts = { name: 'after', kind: 'jobs', total: needs.length, open: open.length };
  return {
    message: `${open.length} of ${needs.length} jobs that it needs`,
    until: null,
    facts: open.length === 0 ? facts : { ...facts, oldest: open[0]!.id },
  };
}
