import { useSignal } from '@preact/signals';
import type { JobEventJson } from '../../../../src/http/schema/job.ts';
import { Empty } from '../../parts/notice.tsx';

const QUIET: ReadonlySet<string> = new Set(['job_heartbeat', 'job_lease_renewed']);

function wordsOf(event: JobEventJson): string {
  const move = event.from === null || event.from === event.to ? '' : `${event.from} → ${event.to}`;
  const { line } = event.metadata as { line?: unknown };
  const log = typeof line === 'string' ? line : '';
  const stage = event.type === 'job_stage_entered' ? event.stage : null;
  return [move, stage, event.message, log, event.cause].filter(Boolean).join(' · ');
}

/** Events and notes as they came, newest last. */
export function JobHistory({ events }: { readonly events: readonly JobEventJson[] }) {
  const isLoud = useSignal(false);
  const shown = events.filter(({ type }) => isLoud.value || !QUIET.has(type));
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
      <ul class="note-list">
        {shown.map((event) => (
          <li key={event.id}>
            <time class="quiet mono" dateTime={event.timestamp}>
              {event.timestamp.slice(11, 23)}
            </time>
            <b>{event.type.replace('job_', '').replaceAll('_', ' ')}</b>
            <span>
              {wordsOf(event)}{' '}
              <span class="quiet actor" title={event.actor}>
                {event.actor}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
