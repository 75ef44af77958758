import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { JobEventJson } from '../../../../pawl/src/contract/job.ts';
import { levelIn, LOG_LEVELS, type LogLevel } from '../../../../pawl/src/handler/log.ts';
import { ExactTime } from '../../parts/exact-time.tsx';
import { Empty } from '../../parts/notice.tsx';

interface Given {
  readonly id: string;
  readonly events: readonly JobEventJson[];
  /** Events that came and are no longer remembered. */
  readonly forgotten: number;
}

/** More are drawn when they are asked for: a long log must not slow the page down. */
const SHOWN = 100;
const QUIET: ReadonlySet<string> = new Set(['job_heartbeat', 'job_lease_renewed']);

/** What is shown of it. */
interface Wish {
  readonly kind: 'all' | 'log' | 'events';
  /** Lines below it are left out; events have none. */
  readonly level: LogLevel;
  readonly words: string;
  readonly isLoud: boolean;
}

const EVERYTHING: Wish = { kind: 'all', level: 'debug', words: '', isLoud: false };

function isWanted(event: JobEventJson, { kind, level, words, isLoud }: Wish): boolean {
  const isLine = event.type === 'job_log';
  if (!isLoud && QUIET.has(event.type)) return false;
  if (kind !== 'all' && isLine !== (kind === 'log')) return false;
  const own = LOG_LEVELS.indexOf(levelIn(event.metadata));
  if (isLine && own < LOG_LEVELS.indexOf(level)) return false;
  const text = `${event.type} ${wordsOf(event)} ${event.actor}`.toLowerCase();
  return words === '' || text.includes(words.toLowerCase());
}

/** What the line is: its level, or what happened. */
function nameOf(event: JobEventJson): string {
  if (event.type !== 'job_log') return event.type.replace('job_', '').replaceAll('_', ' ');
  const level = levelIn(event.metadata);
  return level === 'info' ? 'log' : level;
}

function wordsOf(event: JobEventJson): string {
  const move = event.from === null || event.from === event.to ? '' : `${event.from} → ${event.to}`;
  const { line } = event.metadata as { line?: unknown };
  const log = typeof line === 'string' ? line : '';
  const stage = event.type === 'job_stage_entered' ? event.stage : null;
  return [move, stage, event.message, log, event.cause].filter(Boolean).join(' · ');
}

function Line({ event }: { readonly event: JobEventJson }) {
  return (
    <li class={event.type === 'job_log' ? `line ${levelIn(event.metadata)}` : ''}>
      <ExactTime time={event.timestamp} isClock />
      <b>{nameOf(event)}</b>
      <span>
        {wordsOf(event)}{' '}
        <span class="quiet actor" title={event.actor}>
          {event.actor}
        </span>
      </span>
    </li>
  );
}

/** An event never changes, so its line is drawn once. */
function HistoryLine({ event }: { readonly event: JobEventJson }) {
  return useMemo(() => <Line event={event} />, [event]);
}

interface FiltersGiven {
  readonly wish: Wish;
  readonly change: (wish: Partial<Wish>) => void;
}

function Filters({ wish, change }: FiltersGiven) {
  return (
    <div class="row no-print" role="search" aria-label="Filter events and log">
      <select
        aria-label="Kind"
        value={wish.kind}
        onChange={(event) => change({ kind: event.currentTarget.value as Wish['kind'] })}
      >
        <option value="all">events and log</option>
        <option value="log">log only</option>
        <option value="events">events only</option>
      </select>
      <select
        aria-label="Level"
        value={wish.level}
        onChange={(event) => change({ level: event.currentTarget.value as LogLevel })}
      >
        {LOG_LEVELS.map((level) => (
          <option key={level} value={level}>
            {level === 'debug' ? 'all levels' : `${level} and above`}
          </option>
        ))}
      </select>
      <input
        aria-label="Contains"
        placeholder="Contains"
        value={wish.words}
        onInput={(event) => change({ words: event.currentTarget.value })}
      />
      <label class="quiet">
        <input
          type="checkbox"
          checked={wish.isLoud}
          onChange={() => change({ isLoud: !wish.isLoud })}
        />{' '}
        include heartbeats
      </label>
    </div>
  );
}

/** Events and notes as they came, newest last, narrowed by kind, level and words. */
export function JobHistory({ id, events, forgotten }: Given) {
  const wish = useSignal<Wish>(EVERYTHING);
  const count = useSignal(SHOWN);
  const told = events.filter((event) => isWanted(event, wish.value));
  const shown = told.slice(-count.value);
  return (
    <section class="card wide">
      <div class="head">
        <h2>Events and log</h2>
        <Filters
          wish={wish.value}
          change={(change) => (wish.value = { ...wish.value, ...change })}
        />
      </div>
      {shown.length === 0 && (
        <Empty title={events.length === 0 ? 'No events yet' : 'No matching events'} />
      )}
      {shown.length < told.length && (
        <button class="plain" onClick={() => (count.value += SHOWN)}>
          Show {told.length - shown.length} earlier
        </button>
      )}
      {shown.length === told.length && forgotten > 0 && (
        <p class="quiet">
          {forgotten} earlier events are no longer on this page: <code>pawl jobs events {id}</code>{' '}
          shows all.
        </p>
      )}
      <ul class="note-list" tabIndex={0} aria-label="Events and log">
        {shown.map((event) => (
          <HistoryLine key={event.id} event={event} />
        ))}
      </ul>
    </section>
  );
}
