// The verdict on a world that has come to rest: the checker's, and what only a fleet can show.
import { checkHistory } from 'pawl/internal/check/check-history';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import type { Store } from 'pawl/internal/store/store';
import { eventually } from '../../support/eventually.ts';
import { type Clients, TENANT } from './clients.ts';
import type { Flow } from './jobs.ts';
import { type Ledger, readLedger } from './ledger.ts';
import { readMany, type Remains } from './read-many.ts';
import type { Member } from './member.ts';

/** In the words in which queues are usually reported on. */
export interface Verdict {
  readonly attempted: number;
  readonly acknowledged: number;
  /** Acknowledged, and done or cancelled in the end. */
  readonly ok: number;
  readonly lost: number;
  /** There, though the client was told that it is not, or never asked. */
  readonly unexpected: number;
  /** Turns that came to their end although another turn of the same job had. */
  readonly duplicated: number;
  /** There, though the client never got an answer. */
  readonly recovered: number;
  /** Jobs that waited for others, and these. */
  readonly flows: number;
  readonly parts: number;
  readonly cancelled: number;
  readonly leasesLost: number;
  /** Turns whose former owner wrote once more, and was refused. */
  readonly zombies: number;
  readonly callsOk: number;
  readonly callsFailed: number;
  readonly callsUnknown: number;
  readonly violations: readonly string[];
}

/** What has come to rest: its processes, what they wrote down, and what is stored. */
export interface Rested {
  readonly posts: readonly { readonly member: Member }[];
  readonly workers: readonly { readonly member: Member }[];
  readonly ledger: string;
  openStore(): Promise<Store>;
}

/** Enough for any machine; leases and backoffs need seconds only. */
const REST_MS = 240_000;

export async function judge(
  world: Rested,
  clients: Clients,
  restMs: number = REST_MS,
  look: (all: Remains) => void = () => undefined,
): Promise<Verdict> {
  const violations = [...clients.contradictions];
  const expect = async (what: string, look: () => Promise<boolean>): Promise<void> => {
    await eventually(what, look, { timeoutMs: restMs, everyMs: 250 }).catch(() =>
      violations.push(`I20 after all: no ${what}`),
    );
  };
  await expect('answer from every server', () => clients.areServersUp());
  await expect('job for every worker', workersLook(world, clients));
  await expect('end of every job', () => clients.isQuiet());
  violations.push(...world.posts.flatMap(({ member }) => member.faults));
  const store = await world.openStore();
  try {
    const all = await readMany(store, TENANT);
    look(all);
    const ledger = readLedger(world.ledger, TENANT);
    const { entries, completions } = ledger;
    const history = [...clients.history, ...completions];
    const broken = checkHistory({ lifecycles, ...all, history, ledger: entries });
    violations.push(...broken.map((one) => `${one.invariant} ${one.jobId}: ${one.message}`));
    violations.push(...judgeEffects(all.jobs, ledger), ...judgeFlows(all.jobs));
    return { ...reckon(all, clients, ledger, violations), violations };
  } finally {
    await store.close();
  }
}

/** Asks for jobs until each worker has begun one: none may be up and yet dead to the world. */
function workersLook(world: Rested, clients: Clients): () => Promise<boolean> {
  const before = readLedger(world.ledger, TENANT).turns.length;
  const idle = new Set(world.workers.map(({ member }) => member.name.replaceAll(' ', '-')));
  return async () => {
    await clients.askFor(20);
    for (const { owner } of readLedger(world.ledger, TENANT).turns.slice(before)) {
      idle.delete(owner.slice(0, owner.lastIndexOf('-')));
    }
    return idle.size === 0;
  };
}

/** Whatever counts was done, in the very turn that it counts for; and a key is one job's. */
function judgeEffects(jobs: Remains['jobs'], { ended, turns }: Ledger): string[] {
  const told: string[] = [];
  for (const { id, phase, result } of jobs) {
    if (phase !== 'succeeded') continue;
    const { run = '' } = JSON.parse(result ?? '{}') as { run?: string };
    if (ended.get(run)?.jobId !== id) {
      told.push(`I16 ${id} succeeded with a result that none of its turns made`);
    }
  }
  const owners = new Map<string, string>();
  for (const { key, jobId } of turns) {
    const other = owners.get(key) ?? jobId;
    if (other !== jobId) told.push(`I16 the key of ${jobId} is also that of ${other}`);
    owners.set(key, jobId);
  }
  if (owners.size > new Set(turns.map(({ jobId }) => jobId)).size) {
    told.push('I16 the key of an effect changed from one attempt to the next');
  }
  return told;
}

/** Whose parts were waited for has not ended well without them, and has each of them once. */
function judgeFlows(jobs: Remains['jobs']): string[] {
  const parts = Map.groupBy(
    jobs.filter(({ awaitedBy }) => awaitedBy !== null),
    ({ awaitedBy }) => awaitedBy!.jobId,
  );
  return jobs.flatMap(({ id, type, phase, input }) => {
    if (type !== 'flow') return [];
    const own = parts.get(id) ?? [];
    const places = new Set(own.map(({ awaitedBy }) => `${awaitedBy!.wait}/${awaitedBy!.key}`));
    if (places.size < own.length) return [`F5 ${id} has two jobs for one of its parts`];
    const wanted = (JSON.parse(input) as Flow).parts.length + 1;
    const done = own.filter((part) => part.phase === 'succeeded').length;
    if (phase !== 'succeeded' || done === wanted) return [];
    return [`F6 ${id} succeeded with ${done} of its ${wanted} parts`];
  });
}

function reckon(
  all: Remains,
  clients: Clients,
  { ended, zombies }: Ledger,
  violations: string[],
): Omit<Verdict, 'violations'> {
  const byId = new Map(all.jobs.map((job) => [job.id, job]));
  const acknowledged = new Set(clients.acknowledged);
  const asked = new Set(
    clients.history.flatMap(({ outcome, correlationId }) =>
      outcome === 'fail' ? [] : [correlationId],
    ),
  );
  const cancelled = all.jobs.filter(({ phase }) => phase === 'cancelled');
  for (const { id, awaitedBy } of cancelled) {
    const asked = awaitedBy?.jobId ?? id;
    if (!clients.cancels.has(asked)) violations.push(`I20 ${id} was cancelled, and nobody asked`);
  }
  for (const [id, answer] of clients.cancels) {
    const phase = byId.get(id)?.phase;
    if (answer === 'done' && phase !== 'cancelled') {
      violations.push(`I10 ${id} was said to be cancelled, and is ${phase}`);
    }
  }
  const isWell = (id: string): boolean =>
    ['succeeded', 'cancelled'].includes(byId.get(id)?.phase ?? '');
  const unwell = all.jobs.filter(({ id }) => !isWell(id));
  for (const { id, phase, error } of unwell) {
    violations.push(`I20 ${id} is ${phase}: ${error?.message ?? 'without an error'}`);
  }
  const turnsOf = Map.groupBy(ended.values(), ({ jobId }) => jobId);
  const counts = [...turnsOf.values()].map((turns) => turns.length - 1);
  return {
    attempted: clients.history.length,
    acknowledged: acknowledged.size,
    ok: [...acknowledged].filter(isWell).length,
    lost: [...acknowledged].filter((id) => !byId.has(id)).length,
    unexpected: all.jobs.filter(({ correlationId }) => !asked.has(correlationId)).length,
    duplicated: counts.reduce((sum, count) => sum + count, 0),
    recovered: all.jobs.filter(({ id, awaitedBy }) => awaitedBy === null && !acknowledged.has(id))
      .length,
    flows: all.jobs.filter(({ type }) => type === 'flow').length,
    parts: all.jobs.filter(({ awaitedBy }) => awaitedBy !== null).length,
    cancelled: cancelled.length,
    leasesLost: all.events.filter(({ cause }) => cause === 'lease_expired').length,
    zombies,
    callsOk: clients.calls.ok,
    callsFailed: clients.calls.fail,
    callsUnknown: clients.calls.unknown,
  };
}
