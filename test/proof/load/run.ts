import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { grouped, type Rung, type RungOptions, type Say } from '../figures.ts';
import { runBacklog } from './backlog.ts';
import { openGround, type StoreName } from './ground.ts';
import { runHerd } from './herd.ts';
import { runStreams } from './streams.ts';

type Part = (options: RungOptions, say: Say) => Promise<Found>;

interface Found {
  readonly figures: Readonly<Record<string, string>>;
  readonly violations: readonly string[];
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

async function herd(store: StoreName, options: RungOptions): Promise<Found> {
  const ground = await openGround(store);
  try {
    const found = await runHerd(ground, options.number('jobs', 100_000));
    const { latenessMs, smallDoneShare } = found;
    const share = `${(100 * smallDoneShare).toFixed(1)} %`;
    const told = [
      `${grouped(found.jobs)} jobs due in one second`,
      `all begun after ${seconds(found.startedMs)}`,
      `all ended after ${seconds(found.finishedMs)}`,
      `late by ${seconds(latenessMs.p50)} (p50), ${seconds(latenessMs.p99)} (p99)`,
      `small tenants done with ${share} of all begun`,
    ];
    return { figures: { [`herd, ${ground.name}`]: told.join('; ') }, violations: found.violations };
  } finally {
    await ground.close();
  }
}

async function backlog(store: StoreName, options: RungOptions, say: Say): Promise<Found> {
  const sizes = [5_000, options.number('backlog', 1_000_000)];
  const grounds = [await openGround(store), await openGround(store)];
  try {
    const { steps, growth, violations } = await runBacklog(grounds, { sizes, claims: 300, say });
    const told = steps.map(
      ({ waiting, oneMs, fiftyMs }) =>
        `${grouped(waiting)} waiting: ${oneMs.p50.toFixed(2)}/${oneMs.p99.toFixed(2)} ms for 1, ` +
        `${fiftyMs.p50.toFixed(1)}/${fiftyMs.p99.toFixed(1)} ms for 50`,
    );
    const label = `backlog, ${grounds[0]!.name}, claim p50/p99`;
    return { figures: { [label]: `${told.join('; ')}; × ${growth.toFixed(2)}` }, violations };
  } finally {
    for (const ground of grounds) await ground.close();
  }
}

const streams: Part = async (options, say) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-load-'));
  try {
    const count = options.number('streams', 5_000);
    const stalled = options.number('stalled', 500);
    const events = options.number('events', 200);
    const loudKiB = options.number('loud', 8_192);
    const found = await runStreams({ streams: count, stalled, events, loudKiB, folder, say });
    const { before, open, worst, end } = found.memoryMiB;
    const told = [
      `${grouped(count)} opened in ${seconds(found.openedMs)}`,
      `${events} events to all that read in ${seconds(found.deliveredMs)}`,
      `${found.cut} of ${stalled} stalled cut off after ${seconds(found.cutMs)}`,
      `server ${before} MiB before, ${open} open, ${worst} at worst, ${end} at the end`,
    ];
    return { figures: { streams: told.join('; ') }, violations: found.violations };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** `--only herd|backlog|streams --store sqlite|postgres --jobs 100000 --backlog 1000000`. */
export const runLoad: Rung = async (options, say) => {
  const asked = options.text('store');
  const stores = (['sqlite', 'postgres'] as const).filter(
    (name) => asked === null || asked === name,
  );
  const parts: Record<string, readonly Part[]> = {
    herd: stores.map((store) => (given) => herd(store, given)),
    backlog: stores.map((store) => (given, tell) => backlog(store, given, tell)),
    streams: [streams],
  };
  const only = options.text('only');
  const found: Found[] = [];
  for (const [name, some] of Object.entries(parts)) {
    if (only !== null && only !== name) continue;
    for (const part of some) {
      say(`${name}…`);
      const one = await part(options, say);
      for (const [label, told] of Object.entries(one.figures)) say(`${label}: ${told}`);
      found.push(one);
    }
  }
  if (found.length === 0) throw new Error('--only must be herd, backlog or streams');
  return {
    figures: Object.assign({}, ...found.map(({ figures }) => figures)) as Found['figures'],
    violations: found.flatMap(({ violations }) => violations),
  };
};
