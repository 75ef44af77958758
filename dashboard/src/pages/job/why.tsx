import type { JobJson } from '../../../../src/http/schema/job.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Ago } from '../../parts/ago.tsx';

interface Answer {
  readonly reason: string;
  readonly message: string;
  readonly since: string;
  readonly until?: string | null;
  readonly facts: Readonly<Record<string, unknown>>;
}

const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'dead']);

/** "Why is it not running?", in a sentence with facts. */
export function JobWhy({ job }: { readonly job: JobJson }) {
  const why = useLoaded(() => get<Answer>(`./v1/jobs/${job.id}/why`), [job.version, job.phase], {
    everyMs: 5_000,
  });
  const answer = why.value.value;
  if (answer === null || TERMINAL.has(job.phase)) return null;
  const facts = Object.entries(answer.facts).filter(([, value]) => value !== null);
  return (
    <section class="card why">
      <p>{answer.message}</p>
      <div class="quiet">
        since <Ago time={answer.since} />
        {typeof answer.until === 'string' && (
          <>
            , until <Ago time={answer.until} />
          </>
        )}
        {facts.map(([name, value]) => (
          <span key={name}>
            {' '}
            · {name} {typeof value === 'string' ? value : JSON.stringify(value)}
          </span>
        ))}
      </div>
    </section>
  );
}
