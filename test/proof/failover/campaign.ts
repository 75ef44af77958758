// One fault after the other on a cluster under load, and then the reckoning.
import { eventually } from '../../support/eventually.ts';
import { Clients } from '../fleet/clients.ts';
import { pause } from '../fleet/fault.ts';
import { judge } from '../fleet/judge.ts';
import type { Remains } from '../fleet/read-many.ts';
import type { Fault } from './faults.ts';
import { type Brief, judgeLossy, toldOf } from './lossy.ts';
import { Probe } from './probe.ts';
import { StreamReader, type StreamVerdict } from './streams.ts';
import type { Row } from './table.ts';
import { FailoverWorld, type FailoverOptions } from './world.ts';

export interface CampaignOptions extends FailoverOptions {
  readonly seed: number;
  readonly faults: readonly Fault[];
  readonly rounds: number;
  /** How many jobs a second are asked for beside the probes. */
  readonly rate: number;
  readonly isTimeLeft: () => boolean;
}

export interface CampaignReport {
  readonly rows: readonly Row[];
  readonly verdict: Brief;
  readonly streams: readonly StreamVerdict[];
  readonly violations: readonly string[];
  /** Reads that a former primary answered which nobody had told of its end. */
  readonly staleReads: readonly string[];
  /** What the platform said of a log that continues elsewhere, each sentence once. */
  readonly told: readonly string[];
}

const PEACE_MS = 2_000;
const SERVED_MS = 180_000;

export async function campaign(options: CampaignOptions): Promise<CampaignReport> {
  const world = await FailoverWorld.open(options);
  const load = new Load(world, options);
  const violations: string[] = [];
  try {
    const rows: Row[] = [];
    for (let round = 0; round < options.rounds; round++) {
      for (const fault of options.faults) {
        if (!options.isTimeLeft()) break;
        const row = await load.suffer(fault).catch((error: unknown) => {
          violations.push(`${fault.name}: ${String(error)}`);
          options.say(`${fault.name}: ${String(error)}`);
          return null;
        });
        if (row === null) continue;
        rows.push(row);
        const outages = [...row.outages].map(
          ([route, ms]) => `${route} ${Math.round(ms / 1_000)} s`,
        );
        const what = row.hasFailedOver ? 'failover' : 'no failover';
        options.say(
          `${rows.length}. ${fault.name}: ${what}, without service ${outages.join(', ')}`,
        );
        if (fault.isFailover && !row.hasFailedOver) violations.push(`${fault.name}: no failover`);
      }
    }
    return { ...(await load.reckon(rows, violations)), rows, violations };
  } finally {
    await load.close();
    await world.close();
  }
}

/** Clients, probes and readers of streams on a world. */
class Load {
  readonly #world: FailoverWorld;
  readonly #mode: CampaignOptions['mode'];
  readonly #clients: Clients;
  readonly #probes: readonly Probe[];
  readonly #streams: readonly StreamReader[];

  constructor(world: FailoverWorld, { seed, rate, mode }: CampaignOptions) {
    this.#world = world;
    this.#mode = mode;
    const startedAt = performance.now();
    const urls = world.servers.map(({ url }) => url);
    const quota = (): number => {
      // Probes are jobs too.
      return ((performance.now() - startedAt) / 1_000) * (rate + 2 * urls.length);
    };
    this.#clients = new Clients({ urls, seed, count: 2, batch: 8, quota, isStrict: true });
    this.#clients.start();
    this.#probes = world.servers.map(
      ({ route, url }) => new Probe(route, () => this.#clients.probe(url)),
    );
    this.#streams = [
      ...world.servers.map(({ route, url }) => new StreamReader(`stream by ${route}`, [url])),
      new StreamReader('stream by any server', urls),
    ];
  }

  async suffer(fault: Fault): Promise<Row> {
    const { cluster } = this.#world;
    const { node: leader, timeline } = await cluster.healthy();
    await this.#served();
    await pause(PEACE_MS);
    const from = performance.now();
    this.#clients.mayBeStale = fault.isUnguarded ?? false;
    await fault.act({ world: this.#world, leader, timeline });
    const healed = performance.now();
    const after = await cluster.healthy();
    await this.#served(healed);
    this.#clients.mayBeStale = false;
    const to = performance.now();
    return {
      fault: fault.name,
      mode: this.#mode,
      hasFailedOver: after.timeline > timeline,
      outages: new Map(this.#probes.map((probe) => [probe.route, probe.longestGap(from, to)])),
      from,
      to,
      acknowledged: 0,
      lost: 0,
    };
  }

  async #served(since: number = performance.now()): Promise<void> {
    const isServed = (): boolean => this.#probes.every((probe) => probe.isServedSince(since));
    const limits = { timeoutMs: SERVED_MS, everyMs: 100 };
    await eventually('an answer by every route', isServed, limits);
  }

  async reckon(
    rows: readonly Row[],
    violations: string[],
  ): Promise<Pick<CampaignReport, 'verdict' | 'streams' | 'staleReads' | 'told'>> {
    await Promise.all(this.#probes.map((probe) => probe.close()));
    await this.#clients.stop();
    this.#clients.mayBeStale = false;
    const isLossy = this.#mode === 'asynchronous';
    const seen: Remains[] = [];
    const look = (all: Remains): void => void seen.push(all);
    const how = isLossy ? judgeLossy : judge;
    const verdict = await how(this.#world, this.#clients, undefined, look);
    const { jobs, events } = seen[0]!;
    const ids = new Set(jobs.map(({ id }) => id));
    for (const [id, at] of this.#clients.acknowledgedAt) {
      const row = rows.findLast(({ from }) => at >= from) ?? rows[0];
      if (row === undefined) continue;
      row.acknowledged += 1;
      row.lost += ids.has(id) ? 0 : 1;
    }
    for (const { id, correlationId } of jobs) {
      const said = this.#clients.refusals.get(correlationId ?? '');
      if (said !== undefined) violations.push(`${id} is stored, and its client was told ${said}`);
    }
    const streams = await Promise.all(this.#streams.map((stream) => stream.judge(events)));
    violations.push(...verdict.violations);
    violations.push(...streams.flatMap((one) => (isLossy ? one.gapsTold : one.violations)));
    const told = await toldOf(this.#world, streams);
    if (verdict.lost > 0 && told.length === 0) violations.push('nobody was told of what was lost');
    return { verdict, streams, staleReads: this.#clients.staleReads, told };
  }

  async close(): Promise<void> {
    await Promise.all(this.#probes.map((probe) => probe.close()));
    await this.#clients.stop();
    await Promise.all(this.#streams.map((stream) => stream.close()));
  }
}
