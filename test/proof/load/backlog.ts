// What one claim costs with few and with very many jobs waiting behind it, measured in turns.
import type { Claim } from 'pawl/internal/engine/claim';
import { type Ground, quantile } from './ground.ts';

interface Cost {
  readonly p50: number;
  readonly p99: number;
}

export interface BacklogStep {
  readonly waiting: number;
  readonly oneMs: Cost;
  readonly fiftyMs: Cost;
}

export interface BacklogReport {
  readonly steps: readonly BacklogStep[];
  /** The median claim of one with the largest backlog, against the smallest. */
  readonly growth: number;
  readonly violations: readonly string[];
}

const TENANT = 'backlog';
const TYPE = 'backlog';
const OWNER = 'backlog';
const BATCH = 1_000;
const LEASE = { ttlMs: 900_000, heartbeatMs: 300_000 };
const GROWTH_MAX = 2;
/** Below this a difference is the machine's, not the backlog's. */
const NOISE_MS = 1;

async function fill({ engine }: Ground, count: number): Promise<void> {
  const caller = { tenant: TENANT, principal: null };
  for (let left = count; left > 0; left -= BATCH) {
    const size = Math.min(BATCH, left);
    await engine.enqueue(
      Array.from({ length: size }, () => ({ type: TYPE, input: { page: 17 } })),
      { caller },
    );
  }
}

async function complete({ engine }: Ground, claims: readonly Claim[]): Promise<void> {
  await engine.settle(
    claims.map(({ job }) => ({
      ref: job,
      owner: OWNER,
      epoch: job.epoch,
      known: job,
      ending: { kind: 'succeed' },
    })),
  );
}

async function timed(ground: Ground, max: number): Promise<number> {
  const began = performance.now();
  const claims = await ground.engine.claim({ owner: OWNER, types: [TYPE], max });
  const ms = performance.now() - began;
  if (claims.length !== max) throw new Error(`${claims.length} of ${max} claimed`);
  await complete(ground, claims);
  return ms;
}

function costOf(times: readonly number[]): Cost {
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/**
 * Claims on each ground in turn, so that whatever else the machine does is the same for all of
 * them. Each has a backlog of its own size.
 */
export async function runBacklog(
  grounds: readonly Ground[],
  asked: { sizes: readonly number[]; claims: number; say: (line: string) => void },
): Promise<BacklogReport> {
  const { sizes, claims, say } = asked;
  for (const [index, ground] of grounds.entries()) {
    await ground.engine.putType(
      { tenant: TENANT, type: TYPE },
      { lifecycle: 'task', lease: LEASE },
    );
    await fill(ground, sizes[index]!);
    say(`  ${sizes[index]} are waiting`);
  }
  const ones: number[][] = grounds.map(() => []);
  const fifties: number[][] = grounds.map(() => []);
  for (let round = 0; round < claims; round++) {
    for (const [index, ground] of grounds.entries()) {
      ones[index]!.push(await timed(ground, 1));
      if (round % 10 === 0) fifties[index]!.push(await timed(ground, 50));
    }
  }
  const steps = sizes.map((waiting, index) => ({
    waiting,
    oneMs: costOf(ones[index]!),
    fiftyMs: costOf(fifties[index]!),
  }));
  const [first, last] = [steps[0]!, steps.at(-1)!];
  const growth = last.oneMs.p50 / first.oneMs.p50;
  const isFlat = growth <= GROWTH_MAX || last.oneMs.p50 - first.oneMs.p50 <= NOISE_MS;
  const told = `a claim costs ${growth.toFixed(1)} times as much with ${last.waiting} waiting`;
  return { steps, growth, violations: isFlat ? [] : [told] };
}
