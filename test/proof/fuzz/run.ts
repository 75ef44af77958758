import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Rung } from '../figures.ts';
import { fuzz } from './fuzz.ts';
import { fuzzScan, fuzzStream } from './parsers.ts';

/** `--requests 20000 --seed 1 --minutes 5 --texts 20000`. */
export const runFuzz: Rung = async (options) => {
  const seed = options.number('seed', 1);
  const texts = options.number('texts', 20_000);
  const folder = mkdtempSync(join(tmpdir(), 'pawl-fuzz-'));
  try {
    const requests = options.number('requests', 20_000);
    const found = await fuzz({ seed, requests, folder, isTimeLeft: options.isTimeLeft() });
    const statuses = [...found.statuses].toSorted(([one], [other]) => one - other);
    const scan = fuzzScan(seed, texts);
    const stream = await fuzzStream(seed, texts);
    return {
      figures: {
        requests: found.requests,
        operations: `${found.operationsHit} of ${found.operations}`,
        statuses: statuses
          .map(([status, count]) => `${status || 'closed or waiting'}: ${count}`)
          .join(', '),
        'memory, MiB': found.memoryMiB.join(', '),
        'texts for the JSON scan': texts,
        'streams for the SSE reader': texts,
      },
      violations: [...found.violations, ...scan, ...stream],
      counts: {
        requests: found.requests,
        refused: sumOf(statuses, (status) => status >= 400),
        accepted: sumOf(statuses, (status) => status >= 200 && status < 300),
        texts: 2 * texts,
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

function sumOf(
  statuses: readonly (readonly [status: number, count: number])[],
  isWanted: (status: number) => boolean,
): number {
  return statuses.reduce((sum, [status, count]) => sum + (isWanted(status) ? count : 0), 0);
}
