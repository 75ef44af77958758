// Rounds of a fleet under attack, each in a world of its own, until enough harm was done.
import { SeededRandom } from 'pawl/internal/core/random';
import { Clients } from './clients.ts';
import type { Fault } from './fault.ts';
import { pause } from './fault.ts';
import { judge, type Verdict } from './judge.ts';
import { type Count, FAULTS, Nemesis } from './nemesis.ts';
import { type Release, THIS_RELEASE } from './release.ts';
import { World, type WorldOptions } from './world.ts';

export interface CampaignOptions {
  readonly seed: number;
  readonly faults: number;
  readonly jobs: number;
  /** How many faults a world sees before it is judged. */
  readonly faultsPerRound: number;
  readonly lanes: number;
  readonly stores: readonly WorldOptions['store'][];
  readonly releases?: readonly Release[];
  readonly only?: (fault: Fault) => boolean;
  readonly world?: Partial<WorldOptions>;
  readonly slowShare?: number;
  /** How long a world may take to come to rest. */
  readonly restMs?: number;
  /** Before anything is attacked. */
  readonly prepare?: (world: World) => Promise<void>;
  readonly isTimeLeft: () => boolean;
  readonly say: (line: string) => void;
}

export interface CampaignReport extends Omit<Verdict, 'violations'> {
  readonly rounds: number;
  readonly counts: ReadonlyMap<string, Count>;
  readonly skipped: Set<string>;
  /** How often a process was not gone in time when it was asked to go. */
  readonly stubborn: number;
  readonly violations: readonly string[];
}

const PEACE_MS = 500;

export async function campaign(options: CampaignOptions): Promise<CampaignReport> {
  const { faults, jobs, faultsPerRound, stores, isTimeLeft, say } = options;
  const counts = new Map<string, Count>();
  const skipped = new Set<string>();
  const verdicts: Verdict[] = [];
  let [done, accepted, stubborn, rounds] = [0, 0, 0, 0];
  while (done < faults && isTimeLeft()) {
    const count = Math.min(faultsPerRound, faults - done);
    const share = Math.ceil(((jobs - accepted) * count) / (faults - done));
    const store = stores[rounds % stores.length]!;
    const round = { seed: options.seed + rounds, store, faults: count, jobs: share, counts };
    const found = await playRound(options, round);
    for (const reason of found.skipped) skipped.add(reason);
    verdicts.push(found.verdict);
    rounds += 1;
    done += found.felt;
    accepted += found.verdict.acknowledged;
    stubborn += found.stubborn;
    const { acknowledged, lost, violations } = found.verdict;
    say(
      `round ${rounds}, ${found.label}, seed ${round.seed}: ${found.felt} faults, ` +
        `${acknowledged} jobs acknowledged, ${lost} lost, ` +
        `${violations.length} violations (${done} faults, ${accepted} jobs so far)`,
    );
    for (const violation of violations.slice(0, 10)) say(`  ${violation.slice(0, 600)}`);
  }
  return { ...sumOf(verdicts), rounds, counts, skipped, stubborn };
}

interface Round {
  readonly seed: number;
  readonly store: WorldOptions['store'];
  readonly faults: number;
  readonly jobs: number;
  readonly counts: Map<string, Count>;
}

async function playRound(options: CampaignOptions, round: Round) {
  const { lanes, releases = [THIS_RELEASE], only = () => true, isTimeLeft, prepare } = options;
  const { seed, store, counts } = round;
  const servers = store === 'postgres' ? 2 : 1;
  const size = { servers, workers: 2, remoteWorkers: 2, releases };
  const world = await World.open({ store, ...size, ...options.world });
  const random = new SeededRandom(seed);
  let nemesis: Nemesis | null = null;
  const clients = new Clients({
    urls: world.clientUrls,
    seed,
    count: 4,
    batch: 40,
    slowShare: options.slowShare,
    isStrict: releases.length === 1,
    // Jobs keep pace with the faults, so that each meets some.
    quota: () => (round.jobs * ((nemesis?.felt ?? 0) + 1)) / round.faults,
  });
  try {
    await prepare?.(world);
    const faults = FAULTS.filter(only);
    const scene = { world, clients, random };
    const order = { scene, faults, count: round.faults, lanes, isTimeLeft, counts };
    clients.start();
    await pause(PEACE_MS);
    nemesis = new Nemesis(order);
    await nemesis.attack();
    await world.heal();
    while (clients.acknowledged.length < round.jobs && isTimeLeft()) await pause(100);
    await clients.stop();
    const verdict = await judge(world, clients, options.restMs);
    const label = world.database?.label ?? 'SQLite';
    const stubborn = world.posts.reduce((sum, { member }) => sum + member.stubborn, 0);
    return { verdict, label, stubborn, felt: nemesis.felt, skipped: world.skipped };
  } finally {
    await clients.stop();
    await world.close();
  }
}

function sumOf(verdicts: readonly Verdict[]): Verdict {
  const sum = (pick: (verdict: Verdict) => number): number =>
    verdicts.reduce((total, verdict) => total + pick(verdict), 0);
  return {
    attempted: sum((one) => one.attempted),
    acknowledged: sum((one) => one.acknowledged),
    ok: sum((one) => one.ok),
    lost: sum((one) => one.lost),
    unexpected: sum((one) => one.unexpected),
    duplicated: sum((one) => one.duplicated),
    recovered: sum((one) => one.recovered),
    flows: sum((one) => one.flows),
    parts: sum((one) => one.parts),
    cancelled: sum((one) => one.cancelled),
    leasesLost: sum((one) => one.leasesLost),
    zombies: sum((one) => one.zombies),
    callsOk: sum((one) => one.callsOk),
    callsFailed: sum((one) => one.callsFailed),
    callsUnknown: sum((one) => one.callsUnknown),
    violations: verdicts.flatMap(({ violations }) => violations),
  };
}
