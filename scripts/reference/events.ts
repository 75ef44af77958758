import { EVENT_TYPES, type EventType, NOTE_TYPES, type NoteType } from 'pawl/internal/core/event';
import { code, madeOf, table } from './table.ts';

/** A type without a sentence does not compile. */
const MEANINGS: Readonly<Record<EventType | NoteType, string>> = {
  job_created: 'It was accepted and is held until it is submitted.',
  job_queued: 'It may be claimed from its `runAt` on.',
  job_claimed: 'A worker owns it until its lease ends.',
  job_started: 'Its owner started it, or a remote process was observed to have started.',
  job_retry_scheduled: 'The attempt failed and is tried again after a backoff.',
  job_requeued: 'It is ready again: its backoff is over, or its owner was lost or gave it back.',
  job_snoozed: 'It waits without spending an attempt.',
  job_cancel_requested: 'A cancellation was requested; its owner is asked to stop.',
  job_amended: 'A newer request with the same unique key changed it before it ran.',
  job_succeeded: 'It succeeded; its result and artifacts can be read.',
  job_failed: 'It failed.',
  job_cancelled: 'It was cancelled.',
  job_dead_lettered: 'It ended in the dead-letter queue.',
  job_compensated: 'Its compensation has finished.',
  job_erased: 'Its payloads were erased.',
  job_suspended: 'Its turn ended to wait for `payload.waits`: jobs, messages or a time.',
  job_woken: 'A wait was decided: `payload.waits` names which.',
  job_message: 'A message arrived in its mailbox: `payload.name` and `payload.id`.',
  job_heartbeat: 'Its owner sent a heartbeat.',
  job_lease_renewed: 'Its owner renewed the lease.',
  job_progress: 'A new percentage or message.',
  job_stage_entered: 'A stage began.',
  job_log: 'A log line of its handler.',
  job_tokens:
    'A piece of generated text (`text`); of one that is not kept the length (`gap`, `characters`).',
};

const HEAD = `\
A job's history is a list of events, one for each transition, written in the transaction of
the change. Folding them gives the job's row. Notes record what happens in between; they
expire sooner and have no version of their own. An event's key is (\`jobId\`, \`version\`,
\`note\`), where \`note\` is 0 for events; it is the same in lists, streams and webhooks, so
that a reader can recognise a repeat.`;

const READING = `\
Read one job's history with \`GET /v1/jobs/{id}/events\`, everybody's with \`GET
/v1/events\`, both as a list or, with \`Accept: text/event-stream\`, live. A stream continues
after \`Last-Event-ID\`. A cursor names the log that it belongs to: if the database was restored,
or retention has removed events after the cursor, the answer is \`CURSOR_RESET\` and the
reader begins again from a snapshot. Types and members may be added; none is removed or changes its
meaning within \`/v1\`.`;

/** docs/reference/events.md, whole. */
export function eventsPage(): string {
  const rowsOf = (types: readonly (EventType | NoteType)[]): string[] =>
    table(
      ['type', 'means'],
      types.map((type) => [code(type), MEANINGS[type]]),
    );
  return [
    '# Events',
    '',
    madeOf('`packages/pawl/src/core/event.ts`'),
    '',
    HEAD,
    '',
    '## Events',
    '',
    ...rowsOf(EVENT_TYPES),
    '',
    '## Notes',
    '',
    ...rowsOf(NOTE_TYPES),
    '',
    '## Reading them',
    '',
    READING,
    '',
  ].join('\n');
}
