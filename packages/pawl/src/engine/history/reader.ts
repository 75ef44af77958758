import type { Instant } from '../../core/clock.ts';
import type { Timers } from '../../core/timers.ts';
import type { LaneLook } from '../../records/backlog-history.ts';
import type { HistoryCount, HistoryProgress } from '../../records/history.ts';
import { grainStart } from '../../records/history-time.ts';
import type { Records } from '../../records/records.ts';
import type { EntryPage, LogEntry } from '../../store/query.ts';
import type { Store } from '../../store/store.ts';
import type { EngineLog } from '../context.ts';
import { laneLooks } from '../lane-looks.ts';
import { Periodic } from '../sweeps/periodic.ts';
import { addEntry, countNameOf, type Members } from './members.ts';

/** So seldom that a busy log is read by large pages, and so often that charts are of now. */
export const HISTORY_EVERY_MS = 10_000;
const PAGE = 1_000;
const GAPS_MAX = 50;
/** Who finds another process at it looks only now and then whether it still is. */
const ROUNDS_ASIDE = 3;

export interface HistoryReaderDependencies {
  readonly store: Pick<Store, 'now' | 'entries' | 'tally'>;
  readonly records: Pick<Records, 'history' | 'workers'>;
  readonly log: EngineLog;
}

/**
 * Counts what happens to jobs by minute and lane, and looks once a minute at what waits and runs.
 * Its place in the log moves on with the counts in one transaction, so nothing is counted twice,
 * left out, or lost by a crash, and of any number of processes that try, one gets on.
 */
export class HistoryReader {
  readonly #deps: HistoryReaderDependencies;
  readonly #periodic: Periodic;
  #aside = 0;
  #lookedAt: Instant | null = null;

  constructor(
    deps: HistoryReaderDependencies,
    options: { readonly timers: Timers; readonly everyMs?: number },
  ) {
    this.#deps = deps;
    this.#periodic = new Periodic({
      timers: options.timers,
      everyMs: options.everyMs ?? HISTORY_EVERY_MS,
      round: () => this.#round(),
      onFailure: (error) =>
        deps.log.warn('writing the history failed; retrying', { error: String(error) }),
    });
  }

  start(): void {
    this.#periodic.start();
  }

  stop(): Promise<void> {
    return this.#periodic.stop();
  }

  async #round(): Promise<void> {
    if (this.#aside > 0) this.#aside--;
    else if ((await this.runOnce()) === null) this.#aside = ROUNDS_ASIDE;
  }

  /** Reads to the end of the log: how many moves it counted, or null where another got on. */
  async runOnce(): Promise<number | null> {
    const { store, records } = this.#deps;
    let total = 0;
    let known = await records.history.progress();
    for (;;) {
      const now = await store.now();
      const from = known === null ? 'start' : { cursor: known.cursor };
      const page = await store.entries({ from, limit: PAGE });
      const progress = progressAfter(known, page, now);
      const isIdle = page.entries.length === 0 && !page.isReset && known !== null;
      if (!isIdle || grainStart(now, 'minute') > grainStart(known!.readTo, 'minute')) {
        const counts = countsIn(page.entries);
        const step = { from: known?.cursor ?? null, progress, counts };
        if (!(await records.history.add(step))) return null;
        for (const { count } of page.entries) total += count;
      }
      known = progress;
      if (!page.hasMore) break;
    }
    await this.#look(await store.now());
    return total;
  }

  /** Once a minute; what a process that stood still has missed stays unknown. */
  async #look(now: Instant): Promise<void> {
    const minute = grainStart(now, 'minute');
    if (this.#lookedAt === minute) return;
    this.#lookedAt = minute;
    const { store, records } = this.#deps;
    const looks: LaneLook[] = laneLooks(await store.tally(null), now);
    if (!(await records.history.backlog.add(now, looks))) return;
    const workers = await records.workers.list(null);
    const running = workers.flatMap(({ tenant, version }) =>
      version === null ? [] : [{ tenant: tenant ?? '', version }],
    );
    const versions = new Map(running.map((one) => [JSON.stringify(one), one]));
    await records.history.deploys.see(now, [...versions.values()]);
  }
}

/** While there is more to read, it is known up to the last entry. */
function progressAfter(
  known: HistoryProgress | null,
  page: EntryPage,
  now: Instant,
): HistoryProgress {
  const last = page.hasMore ? (page.entries.at(-1)?.at ?? known?.readTo ?? now) : now;
  const { cursor } = page;
  if (known === null) {
    const first = page.entries[0]?.at ?? last;
    return { cursor, since: Math.min(first, last), readTo: last, gaps: [] };
  }
  const { since, gaps } = known;
  const lost = page.isReset ? [{ from: known.readTo, to: last }] : [];
  const readTo = Math.max(known.readTo, last);
  return { cursor, since, readTo, gaps: [...gaps, ...lost].slice(-GAPS_MAX) };
}

/** One count for each lane and minute. */
function countsIn(entries: readonly LogEntry[]): HistoryCount[] {
  const counts = new Map<string, HistoryCount & { members: Members }>();
  for (const entry of entries) {
    const name = countNameOf(entry);
    if (name === null) continue;
    const { tenant, type, queue } = entry;
    const at = grainStart(entry.at, 'minute');
    const key = JSON.stringify([at, tenant, type, queue]);
    const count = counts.get(key) ?? { tenant, type, queue, at, members: {} };
    addEntry(count.members, entry, name);
    counts.set(key, count);
  }
  return [...counts.values()];
}
