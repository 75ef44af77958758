// Converts and exports one deck again and again on a platform as `npm start` opens it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import {
  type Durations,
  measureStudio,
  type StudioBench,
} from '../../packages/studio/src/cli/bench-studio.ts';
import { childPeakBytes, treeUsage } from '../peers/process-tree.ts';
import { ApiClient } from 'pawl/client';

/** What a job cost the machine, however busy that was with other things. */
export interface Cost {
  /** Of the server and the jobs' own process, for one job. */
  readonly cpuSeconds: number;
  /** Of the process that the jobs run in. */
  readonly peakMb: number;
}

export interface Measured {
  readonly took: Durations;
  /** Empty where this is not Linux. */
  readonly costs: Readonly<Record<'convert' | 'export', readonly Cost[]>>;
}

export async function runStudio(
  options: StudioBench,
  say: (text: string) => void,
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-studio-'));
  const configuration = readConfiguration({ PORT: '0', PAWL_DATA: folder });
  const platform = await startPlatform(configuration, { warn: say });
  const costs = { convert: [] as Cost[], export: [] as Cost[] };
  let before: number | null = null;
  const onJob = (type: 'convert' | 'export'): void => {
    const { cpuMicros } = treeUsage(process.pid);
    const peak = childPeakBytes(process.pid);
    if (before !== null && cpuMicros !== null && peak !== null) {
      costs[type].push({ cpuSeconds: (cpuMicros - before) / 1e6, peakMb: peak / 1024 ** 2 });
    }
    before = cpuMicros;
  };
  try {
    const took = await measureStudio(new ApiClient({ url: platform.url }), options, say, onJob);
    return { took, costs };
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A line for each type that was measured. */
export function costReport(costs: Measured['costs']): string {
  return Object.entries(costs)
    .filter(([, list]) => list.length > 0)
    .map(([type, list]) => {
      const cpu = list.map(({ cpuSeconds }) => cpuSeconds).toSorted((one, other) => one - other);
      const peak = Math.max(...list.map(({ peakMb }) => peakMb));
      const middle = cpu[Math.floor(cpu.length / 2)]!;
      const most = peak.toFixed(0);
      return `${type}: ${middle.toFixed(1)} CPU seconds a job, process at most ${most} MB`;
    })
    .join('\n');
}
