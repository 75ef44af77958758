// `npm run proof:ogc -- --jobs 5000`: remote jobs that are all open at once, at a provider and
// behind a gateway that die by kill -9 while they are begun and while they are open.
// `npm run proof:ogc -- --results 1GB`: results of that length, in and out.
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import type { Rung, Say } from '../figures.ts';
import { Mortal, warmUp } from './mortal.ts';
import { runResults } from './results.ts';

const PROVIDER = new URL('provider-process.ts', import.meta.url);
const GATEWAY = new URL('gateway-process.ts', import.meta.url);
const RSS_MB_MAX = 250;
const PATIENCE = { timeoutMs: 30 * 60_000, everyMs: 200 };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function executionsIn(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

async function restart(...all: Mortal[]): Promise<void> {
  for (const one of all) await one.kill();
  for (const one of all) await one.start();
}

interface Scene {
  readonly jobs: number;
  readonly provider: Mortal;
  readonly gateway: Mortal;
  readonly begun: () => number;
  readonly go: () => void;
}

/** Kills while the jobs are begun and once all are open, then lets them end; the RSS with all. */
async function play({ jobs, provider, gateway, begun, go }: Scene, say: Say): Promise<number> {
  await provider.start();
  await gateway.start();
  const victims = [[gateway], [provider], [provider, gateway], [gateway]];
  for (const [index, dying] of victims.entries()) {
    const share = Math.floor((jobs * (index + 1)) / (victims.length + 1));
    gateway.moment = `jobs are begun, after ${gateway.kills} kills of it`;
    await eventually(`${share} are begun`, () => begun() >= share, PATIENCE);
    await restart(...dying);
    say(`${begun()} begun; killed ${gateway.kills} gateways and ${provider.kills} providers`);
  }
  const areOpen = (): boolean => begun() >= jobs && gateway.last?.open === jobs;
  await eventually('all are open', areOpen, PATIENCE);
  gateway.moment = 'all are open, after a kill of both';
  await restart(provider, gateway);
  await eventually('all are open again', areOpen, PATIENCE);
  const { rssMb } = gateway.last!;
  say(`${jobs} open, RSS ${rssMb} MB`);
  gateway.moment = 'the jobs end';
  go();
  await eventually('all have ended', () => gateway.last?.ended !== undefined, PATIENCE);
  return rssMb;
}

function problemsOf({ jobs, gateway, begun }: Scene): string[] {
  const ended = gateway.last?.ended ?? {};
  const { rssMb } = gateway.peak!.standing;
  return [
    ...(begun() === jobs ? [] : [`${begun()} executions of ${jobs} jobs`]),
    ...(ended['successful'] === jobs ? [] : [`the jobs ended as ${JSON.stringify(ended)}`]),
    ...(rssMb < RSS_MB_MAX ? [] : [`the gateway had ${rssMb} MB`]),
  ];
}

/** Every job is sent once, whoever dies, and ends as its remote job does. */
export const runOgc: Rung = async (options, say) => {
  const length = options.text('results');
  if (length !== null) return runResults(length, say);
  const jobs = options.number('jobs', 5_000);
  const folder = await mkdtemp(join(tmpdir(), 'pawl-ogc-'));
  const file = join(folder, 'provider.jsonl');
  const port = await freePort();
  const provider = new Mortal(PROVIDER, [file, String(port)]);
  const place = [join(folder, 'jobs.db'), join(folder, 'artifacts')];
  const url = `http://127.0.0.1:${port}`;
  const cache = await warmUp(GATEWAY, folder, [...place, url, '0', '0']);
  const gateway = new Mortal(GATEWAY, [...place, url, '0', String(jobs)], cache);
  const begun = (): number => executionsIn(file).length;
  const go = (): void => writeFileSync(`${file}.go`, '');
  const scene = { jobs, provider, gateway, begun, go };
  try {
    const rssMb = await play(scene, say);
    const { moment, standing: peak } = gateway.peak!;
    const figures = {
      jobs,
      executions: begun(),
      'kills of the gateway': gateway.kills,
      'kills of the provider': provider.kills,
      'RSS with all open, MB': rssMb,
      'RSS at most, MB': peak.rssMb,
      'of that heap and buffers, MB': `${peak.heapMb} and ${peak.buffersMb}`,
      'that was when': `${moment}, ${peak.open} open`,
    };
    return { figures, violations: problemsOf(scene) };
  } finally {
    await gateway.kill();
    await provider.kill();
    await rm(folder, { recursive: true, force: true });
  }
};
