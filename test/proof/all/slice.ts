// One slice of a lane, as a process of its own: what it hands back, or how it ended without.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemTimers } from 'pawl/internal/core/timers';
import { inRepository } from '../../../scripts/run/repository.ts';
import type { RungReport } from '../figures.ts';
import { leash } from '../fleet/member.ts';
import type { Lane, Slice } from './lanes.ts';

export type Played =
  | { readonly kind: 'reported'; readonly report: RungReport }
  /** It ended by itself and left nothing: a fault, wherever it is. */
  | { readonly kind: 'ended'; readonly how: string }
  /** It was not done in time, or the campaign was stopped: nothing of it counts. */
  | { readonly kind: 'given up' };

const LINES_MAX = 30;

export async function playSlice(lane: Lane, slice: Slice, stop: AbortSignal): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-slice-'));
  const file = join(folder, 'report.json');
  const { program = inRepository('scripts', 'proof.ts') } = lane;
  const args = [...lane.args(slice).split(' '), '--report', file];
  const command = [...leash, process.execPath, program, ...args];
  // A group of its own, so that what it has started ends with it.
  const child = spawn(command[0]!, command.slice(1), {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = linesOf(child);
  const over = new AbortController();
  try {
    const gone = once(child, 'exit').then(() => 'gone' as const);
    const ms = (slice.minutes + lane.graceMinutes) * 60_000;
    const signal = AbortSignal.any([stop, over.signal]);
    const late = systemTimers.sleep(ms, signal).then(() => 'late' as const);
    if ((await Promise.race([gone, late])) === 'late') {
      endGroup(child);
      await gone;
      return { kind: 'given up' };
    }
    if (stop.aborted) return { kind: 'given up' };
    if (!existsSync(file)) {
      const how = child.exitCode ?? child.signalCode;
      return { kind: 'ended', how: `ended with ${how}: ${said.join(' | ')}` };
    }
    return { kind: 'reported', report: JSON.parse(readFileSync(file, 'utf8')) as RungReport };
  } finally {
    over.abort();
    endGroup(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The last lines that it writes. */
function linesOf({ stdout, stderr }: ChildProcess): readonly string[] {
  const said: string[] = [];
  for (const input of [stdout!, stderr!]) {
    createInterface({ input }).on('line', (line) => {
      said.push(line);
      if (said.length > LINES_MAX) said.shift();
    });
  }
  return said;
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}
