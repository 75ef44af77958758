import type { ComponentChildren } from 'preact';
import type { JobJson } from '../../../../src/http/schema/job.ts';
import { Ago } from '../../parts/ago.tsx';
import { JobLink } from '../../parts/job-link.tsx';
import { hrefOf } from '../../route.ts';

type Fact = readonly [string, ComponentChildren];

function factsOf(job: JobJson): Fact[] {
  const { lease } = job;
  const facts: (Fact | null)[] = [
    ['Lifecycle', `${job.lifecycle} · epoch ${job.epoch} · version ${job.version}`],
    ['Queue', `${job.queue} · priority ${job.priority}`],
    ['Attempts', `${job.attempts} of ${job.maxAttempts}`],
    ['Created', <Ago time={job.createdAt} />],
    job.startedAt === null ? null : ['Started', <Ago time={job.startedAt} />],
    job.completedAt === null ? null : ['Ended', <Ago time={job.completedAt} />],
    job.phase === 'waiting' ? ['Due', <Ago time={job.runAt} />] : null,
    job.deadlineAt === null ? null : ['Deadline', <Ago time={job.deadlineAt} />],
    lease === null
      ? null
      : [
          'Owner',
          <>
            <code>{lease.owner}</code>, lease ends <Ago time={lease.expiresAt} />
          </>,
        ],
    job.requestedBy === null ? null : ['Asked by', job.requestedBy],
    job.documentId === null
      ? null
      : [
          'Document',
          <a href={hrefOf(['jobs'], { documentId: job.documentId })}>{job.documentId}</a>,
        ],
    [
      'Correlation',
      <a href={hrefOf(['jobs'], { correlationId: job.correlationId })}>
        <code>{job.correlationId}</code>
      </a>,
    ],
    job.traceId === null ? null : ['Trace', <code>{job.traceId}</code>],
    job.parentJobId === null ? null : ['Parent', <JobLink id={job.parentJobId} />],
  ];
  return facts.filter((fact) => fact !== null);
}

export function JobFacts({ job }: { readonly job: JobJson }) {
  return (
    <section class="card">
      <h2>Facts</h2>
      <dl class="facts">
        {factsOf(job).map(([name, value]) => [
          <dt key={`${name}t`}>{name}</dt>,
          <dd key={`${name}d`}>{value}</dd>,
        ])}
      </dl>
      {Object.keys(job.metadata as object).length > 0 && (
        <pre>{JSON.stringify(job.metadata, null, 2)}</pre>
      )}
    </section>
  );
}
