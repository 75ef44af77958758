import { EVENT_TYPES, type EventType, NOTE_TYPES, type NoteType } from '../../src/core/event.ts';
import { code, madeOf, table } from './table.ts';

/** A type without a sentence does not compile. */
const MEANINGS: Readonly<Record<EventType | NoteType, string>> = {
  job_created: 'It was accepted and is held until it is submitted.',
  job_queued: 'It may be claimed from its `runAt` on.',
  job_claimed: 'A worker owns it until its lease ends.',
  job_started: 'Its owner began; or a remote process was seen to have begun.',
  job_retry_scheduled: 'The attempt failed and is tried again after a backoff.',
  job_requeued: 'It is ready again: its backoff is over, or its owner was lost or gave it back.',
  job_snoozed: 'It waits without spending an attempt.',
  job_cancel_requested: 'Somebody wants it to stop; its owner is asked.',
  job_amended: 'What a newer wish said was taken over before it ran.',
  job_succeeded: 'It ended well: its result and artifacts are there.',
  job_failed: 'It ended badly.',
  job_cancelled: 'It was stopped.',
  job_dead_lettered: 'It ended in the dead-letter queue.',
  job_compensated: 'What it had done was undone.',
  job_erased: 'What it was given, said and made was taken away.',
  job_suspended: 'Its turn ended to wait for `payload.waits`: jobs, messages or a time.',
  job_woken: 'What it waited for is there: `payload.waits` names the waits that were decided.',
  job_message: 'A message came into its mailbox: `payload.name` and `payload.id`.',
  job_heartbeat: 'Its owner is alive.',
  job_lease_renewed: 'Its owner keeps it for longer.',
  job_progress: 'A new percentage or message.',
  job_stage_entered: 'A stage began.',
  job_log: 'A line of its handler.',
  job_tokens:
    'A piece of generated text (`text`); of one that is not kept the length (`gap`, `characters`).',
};

const HEAD = `\
A job's history is a list of events, one for each transition, written in the transaction of
the change. Folding them gives the job's row. Notes tell what happens in between; they
expire sooner and carry no version of their own. An event's key is (\`jobId\`, \`version\`,
\`note\`), where \`note\` is 0 for events; it is the same in lists, streams and webhooks, so
that a reader can tell a repeat.`;

const READING = `\
Read one job's history with \`GET /v1/jobs/{id}/events\`, everybody's with \`GET
/v1/events\`, both as a list or, with \`Accept: text/event-stream\`, live. A stream goes on
after \`Last-Event-ID\`. A cursor names the log it is of: where the database was restored,
or retention has overtaken the cursor, the answer is \`CURSOR_RESET\` and the reader begins
again from a snapshot. Types and members may be added; none is taken away or changes its
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
    madeOf('`src/core/event.ts`'),
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
