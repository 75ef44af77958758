import type { ComponentChildren } from 'preact';
import type { DeadLetterJson } from '../../../../pawl/src/contract/dead-letter.ts';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { lettersOf } from '../../letters.ts';
import { useLoaded } from '../../load.ts';
import { traceHref } from '../../page-settings.ts';
import { Ago } from '../../parts/ago.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ExactTime } from '../../parts/exact-time.tsx';
import { seesAll } from '../../me.ts';
import { JobLink } from '../../parts/job-link.tsx';
import { hrefOf } from '../../route.ts';

type Fact = readonly [string, ComponentChildren];

function At({ time }: { readonly time: string }) {
  return (
    <>
      <Ago time={time} /> · <ExactTime time={time} />
    </>
  );
}

function timesOf(job: JobJson): (Fact | null)[] {
  const { startedAt, completedAt, deadlineAt, runAt, phase } = job;
  return [
    ['Created', <At time={job.createdAt} />],
    startedAt === null ? null : ['Started', <At time={startedAt} />],
    completedAt === null ? null : ['Ended', <At time={completedAt} />],
    phase === 'waiting' || phase === 'ready' ? ['Due', <At time={runAt} />] : null,
    deadlineAt === null ? null : ['Deadline', <At time={deadlineAt} />],
  ];
}

function Trace({ id }: { readonly id: string }) {
  const href = traceHref(id);
  const text = <code>{id}</code>;
  return (
    <>
      {href === null ? (
        text
      ) : (
        <a href={href} target="_blank" rel="noreferrer">
          {text}
        </a>
      )}{' '}
      <CopyButton text={id} what="Trace id" />
    </>
  );
}

/** How a job came from its parent. */
const PARENT_KINDS: Readonly<Record<NonNullable<JobJson['parentKind']>, string>> = {
  rerun: 'rerun',
  replay: 'replay of its dead letter',
  compensation: 'compensation',
  caller: 'set by the caller',
};

function Parent({ id, kind }: { readonly id: string; readonly kind: JobJson['parentKind'] }) {
  return (
    <>
      <JobLink id={id} /> · {PARENT_KINDS[kind ?? 'caller']}
    </>
  );
}

function relationsOf(job: JobJson): (Fact | null)[] {
  const { documentId, correlationId, traceId, parentJobId, parentKind, requestedBy, awaitedBy } =
    job;
  return [
    requestedBy === null ? null : ['Requested by', requestedBy],
    documentId === null
      ? null
      : ['Document', <a href={hrefOf(['jobs'], { documentId })}>{documentId}</a>],
    [
      'Correlation',
      <a href={hrefOf(['jobs'], { correlationId })}>
        <code>{correlationId}</code>
      </a>,
    ],
    traceId === null ? null : ['Trace', <Trace id={traceId} />],
    parentJobId === null ? null : ['Parent', <Parent id={parentJobId} kind={parentKind} />],
    !awaitedBy
      ? null
      : [
          'Awaited by',
          <>
            <JobLink id={awaitedBy.jobId} /> · {awaitedBy.wait} · {awaitedBy.key}
          </>,
        ],
  ];
}

function LetterFact({ letter }: { readonly letter: DeadLetterJson }) {
  const { reasonCode, fingerprint, replayedAs } = letter;
  return (
    <>
      <a href={hrefOf(['dead-letters'], { fingerprint, replayed: 'too' })}>{reasonCode}</a> ·{' '}
      <a href={hrefOf(['jobs'], { fingerprint })}>jobs with the same cause</a>
      {replayedAs !== null && (
        <>
          {' '}
          · replayed as <JobLink id={replayedAs} />
        </>
      )}
    </>
  );
}

function Revision({ job }: { readonly job: JobJson }) {
  return (
    <>
      <code>{job.revision}</code>
      {job.isPinned && ' · pinned: only workers that offer it continue the job'}
    </>
  );
}

function factsOf(job: JobJson): Fact[] {
  const { lease } = job;
  const facts: (Fact | null)[] = [
    ['Lifecycle', `${job.lifecycle} · epoch ${job.epoch} · version ${job.version}`],
    [
      'Queue',
      <>
        {seesAll() ? <a href={hrefOf(['queues', job.queue])}>{job.queue}</a> : job.queue} · priority{' '}
        {job.priority}
      </>,
    ],
    ['Attempts', `${job.attempts} of ${job.maxAttempts}`],
    job.revision === null ? null : ['Revision', <Revision job={job} />],
    ...timesOf(job),
    lease === null
      ? null
      : [
          'Owner',
          <>
            {seesAll() ? (
              <a class="mono breaks" href={hrefOf(['workers', lease.owner])}>
                {lease.owner}
              </a>
            ) : (
              <span class="mono breaks">{lease.owner}</span>
            )}
            , lease ends <Ago time={lease.expiresAt} />
          </>,
        ],
    ...relationsOf(job),
  ];
  return facts.filter((fact) => fact !== null);
}

/** What is known of a job, with links to what it belongs to. */
export function JobFacts({ job }: { readonly job: JobJson }) {
  const isBad = job.phase === 'failed' || job.phase === 'dead';
  const letters = useLoaded(async () => (isBad ? lettersOf([job]) : []), [job.id, isBad]);
  const facts = [
    ...factsOf(job),
    ...(letters.value.value ?? []).map((letter): Fact => [
      'Dead letter',
      <LetterFact letter={letter} />,
    ]),
  ];
  return (
    <section class="card">
      <h2>Facts</h2>
      <dl class="facts">
        {facts.map(([name, value]) => [
          <dt key={`${name}t`}>{name}</dt>,
          <dd key={`${name}d`}>{value}</dd>,
        ])}
      </dl>
      {Object.keys(job.metadata as object).length > 0 && (
        <pre tabIndex={0} aria-label="Metadata">
          {JSON.stringify(job.metadata, null, 2)}
        </pre>
      )}
    </section>
  );
}
