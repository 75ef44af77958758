// The verdict where a tail may be lost: what remains keeps the laws, and the loss is told.
import { checkHistory } from 'pawl/internal/check/check-history';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { eventually } from '../../support/eventually.ts';
import { type Clients, TENANT } from '../fleet/clients.ts';
import type { Verdict } from '../fleet/judge.ts';
import { readMany, type Remains } from '../fleet/read-many.ts';
import type { StreamVerdict } from './streams.ts';
import type { FailoverWorld } from './world.ts';

export type Brief = Pick<Verdict, 'acknowledged' | 'lost' | 'duplicated' | 'violations'>;

const REST_MS = 240_000;
const ABOUT_LOG = /another one|timeline|failover|lost entries/i;
const TOLD_MAX = 8;

/** What clients and workers know of lost jobs proves nothing: only what is stored is judged. */
export async function judgeLossy(
  world: FailoverWorld,
  clients: Clients,
  restMs: number = REST_MS,
  look: (all: Remains) => void = () => undefined,
): Promise<Brief> {
  const violations: string[] = world.posts.flatMap(({ member }) => member.faults);
  const limits = { timeoutMs: restMs, everyMs: 250 };
  await eventually('end of every job', () => clients.isQuiet(), limits).catch(() =>
    violations.push('I20 after all: jobs that are stored do not end'),
  );
  const store = await world.openStore();
  try {
    const all = await readMany(store, TENANT);
    look(all);
    const broken = checkHistory({ lifecycles, ...all });
    violations.push(...broken.map((one) => `${one.invariant} ${one.jobId}: ${one.message}`));
    const there = new Set(all.jobs.map(({ id }) => id));
    const acknowledged = new Set(clients.acknowledged);
    const lost = [...acknowledged].filter((id) => !there.has(id)).length;
    return { acknowledged: acknowledged.size, lost, duplicated: 0, violations };
  } finally {
    await store.close();
  }
}

interface Finding {
  readonly check: string;
  readonly message: string;
}

/** What anybody was told of the log: readers, the platform's own log, the doctor. */
export async function toldOf(
  { servers, lines }: FailoverWorld,
  streams: readonly StreamVerdict[],
): Promise<readonly string[]> {
  const [first] = servers;
  const answer = await fetch(`${first?.url}/v1/doctor`).catch(() => null);
  const { findings = [] } = ((await answer?.json()) ?? {}) as { findings?: Finding[] };
  const doctor = findings.map(({ check, message }) => `doctor, ${check}: ${message}`);
  const readers = streams.flatMap(({ problems }) => problems.map((one) => `stream: ${one}`));
  const all = [...doctor, ...readers, ...lines].filter((line) => ABOUT_LOG.test(line));
  return [...new Set(all)].slice(0, TOLD_MAX);
}
