// What handlers and workers wrote down themselves, in a file that the platform does not know.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { CompleteOperation, LedgerEntry, Outcome } from 'pawl/internal/check/history';

/** One turn of a handler. Its times are the machine's, which no clock shim can move. */
export interface Turn {
  readonly run: string;
  readonly jobId: string;
  readonly epoch: number;
  readonly attempt: number;
  readonly owner: string;
  /** By which a receiver of the effect would know it again. */
  readonly key: string;
}

export type Line =
  | (Turn & { readonly what: 'begun' | 'ended' | 'left'; readonly at: number })
  | { readonly what: 'reported'; readonly report: string; readonly operation: CompleteOperation }
  | { readonly what: 'answered'; readonly report: string; readonly outcome: Outcome }
  /** The owner of a turn wrote, and was told that the turn is its own no more. */
  | { readonly what: 'refused'; readonly jobId: string; readonly epoch: number };

export function write(line: Line): void {
  appendFileSync(process.env['PROOF_LEDGER']!, `${JSON.stringify(line)}\n`);
}

export function machineMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export interface Ledger {
  readonly entries: readonly LedgerEntry[];
  readonly turns: readonly Turn[];
  /** The turns that came to the end of their work, by name. */
  readonly ended: ReadonlyMap<string, Turn>;
  readonly completions: readonly CompleteOperation[];
  /** Turns whose former owner wrote once more, and was refused. */
  readonly zombies: number;
}

export function readLedger(path: string, tenant: string): Ledger {
  const turns = new Map<string, Turn & { startedAt: number; endedAt: number | null }>();
  const ended = new Map<string, Turn>();
  const completions = new Map<string, CompleteOperation>();
  const zombies = new Set<string>();
  // The last line of a killed process may have been cut off; nobody was told of it yet.
  const text = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  for (const line of text.flatMap(parsed)) {
    if (line.what === 'refused') zombies.add(`${line.jobId} ${line.epoch}`);
    else if (line.what === 'reported') completions.set(line.report, line.operation);
    else if (line.what === 'answered') {
      const { report, outcome } = line;
      completions.set(report, { ...completions.get(report)!, outcome });
    } else if (line.what === 'begun') {
      turns.set(line.run, { ...line, startedAt: line.at, endedAt: null });
    } else {
      turns.get(line.run)!.endedAt = line.at;
      if (line.what === 'ended') ended.set(line.run, line);
    }
  }
  const entries = [...turns.values()].map((turn) => ({ ...turn, tenant }));
  const told = { completions: [...completions.values()], zombies: zombies.size };
  return { entries, turns: entries, ended, ...told };
}

function parsed(line: string): Line[] {
  try {
    return [JSON.parse(line) as Line];
  } catch {
    return [];
  }
}
