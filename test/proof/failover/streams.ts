// Readers of everything that happens, who must see each event once, whatever becomes of a server.
import { Connection } from 'pawl/internal/client/connection';
import { follow } from 'pawl/internal/client/follow';
import { type JobEvent, NOTE_TYPES } from 'pawl/internal/core/event';
import { eventually } from '../../support/eventually.ts';

const NOTES: ReadonlySet<string> = new Set(NOTE_TYPES);
const REST_MS = 120_000;

function nameOf({ jobId, version, type }: { jobId: string; version: number; type: string }) {
  return `${jobId} ${version} ${type}`;
}

export interface StreamVerdict {
  readonly events: number;
  readonly gaps: number;
  readonly doubles: number;
  readonly resets: number;
  readonly violations: readonly string[];
  /** Of these only what was never shown: where a tail was lost, the rest may be right. */
  readonly gapsTold: readonly string[];
  /** What it was told when its cursor was no good any more. */
  readonly problems: readonly string[];
}

export class StreamReader {
  readonly name: string;
  readonly resets: string[] = [];
  /** How often each event was seen. */
  readonly #seen: Map<string, number> = new Map();
  readonly #stop: AbortController = new AbortController();
  readonly #work: Promise<void>;

  constructor(name: string, urls: readonly string[]) {
    this.name = name;
    this.#work = this.#read(new Connection({ url: [...urls], timeoutMs: 10_000 }));
  }

  async #read(connection: Connection): Promise<void> {
    const { signal } = this.#stop;
    for await (const item of follow(connection, '/v1/events?from=start', { signal })) {
      if (item.kind === 'reset') this.resets.push(JSON.stringify(item.problem));
      if (item.kind !== 'event' || NOTES.has(item.event.type)) continue;
      const name = nameOf(item.event);
      this.#seen.set(name, (this.#seen.get(name) ?? 0) + 1);
    }
  }

  /** What it saw against what is stored, once it has had time to come to the end. */
  async judge(events: readonly JobEvent[], restMs: number = REST_MS): Promise<StreamVerdict> {
    const stored = events.filter(({ type }) => !NOTES.has(type)).map(nameOf);
    const missing = (): string[] => stored.filter((name) => !this.#seen.has(name));
    await eventually('the stream is at its end', () => missing().length === 0, {
      timeoutMs: restMs,
      everyMs: 250,
    }).catch(() => undefined);
    this.#stop.abort();
    await this.#work;
    const left = missing();
    const twice = [...this.#seen].filter(([, count]) => count > 1).map(([name]) => name);
    const gapsTold = left.slice(0, 3).map((name) => `${this.name} never showed ${name}`);
    const told = [
      ...gapsTold,
      ...twice.slice(0, 3).map((name) => `${this.name} showed ${name} twice`),
      ...this.resets.slice(0, 3).map((problem) => `${this.name} was reset: ${problem}`),
    ];
    return {
      events: stored.length,
      gaps: left.length,
      doubles: twice.length,
      resets: this.resets.length,
      violations: told,
      gapsTold,
      problems: this.resets,
    };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work.catch(() => undefined);
  }
}
