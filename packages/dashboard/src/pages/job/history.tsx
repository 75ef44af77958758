import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { JobEventJson } from '../../../../pawl/src/contract/job.ts';
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

function wordsOf(event: JobEventJson): string {
  const move = event.from === null || event.from === event.to ? '' : `${event.from} → ${event.to}`;
  const { line } = event.metadata as { line?: unknown };
  const log = typeof line === 'string' ? line : '';
  const stage = event.type === 'job_stage_entered' ? event.stage : null;
  return [move, stage, event.message, log, event.cause].filter(Boolean).join(' · ');
}

function Line({ event }: { readonly event: JobEventJson }) {
  return (
    <li>
      <ExactTime time={event.timestamp} isClock />
      <b>{event.type.replace('job_', '').replaceAll('_', ' ')}</b>
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

/** Events and notes as they came, newest last. */
export function JobHistory({ id, events, forgotten }: Given) {
  const isLoud = useSignal(false);
  const count = useSignal(SHOWN);
  const told = events.filter(({ type }) => isLoud.value || !QUIET.has(type));
  const shown = told.slice(-count.value);
  return (
    <section class="card wide">
      <div class="head">
        <h2>Events and log</h2>
        <label class="quiet">
          <input
            type="checkbox"
            checked={isLoud.value}
            onChange={() => (isLoud.value = !isLoud.value)}
          />{' '}
          heartbeats too
        </label>
      </div>
      {shown.length === 0 && <Empty title="Nothing yet" />}
      {shown.length < told.length && (
        <button class="plain" onClick={() => (count.value += SHOWN)}>
          {told.length - shown.length} earlier ones
        </button>
      )}
      {shown.length === told.length && forgotten > 0 && (
        <p class="quiet">
          {forgotten} earlier ones are not kept on this page: <code>pawl jobs events {id}</code>{' '}
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
