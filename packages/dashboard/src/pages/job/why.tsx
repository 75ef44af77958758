import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Ago } from '../../parts/ago.tsx';
import { Prose } from '../../parts/prose.tsx';

interface Answer {
  readonly reason: string;
  readonly message: string;
  readonly since: string;
  readonly until?: string | null;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Numbers as large as this are times. */
const TIMES_FROM = 1e12;

/** Words, not JSON: `running 3, max 3`. */
function factText(value: unknown): string {
  if (Array.isArray(value)) return value.map(factText).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, own]) => `${wordsOf(name)} ${factText(own)}`)
    .join(', ');
}

/** `leaseExpiry` → `lease expiry`. */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function Fact({ value }: { readonly value: unknown }) {
  if (typeof value === 'number' && value > TIMES_FROM) {
    return <Ago time={new Date(value).toISOString()} />;
  }
  return <>{factText(value)}</>;
}

const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'dead']);

/** As high as the answer will be, so that nothing moves when it comes. */
function Coming() {
  return (
    <section class="card why">
      <p class="quiet">…</p>
      <div class="quiet">…</div>
    </section>
  );
}

/** "Why is it not running?", in a sentence with facts. */
export function JobWhy({ job }: { readonly job: JobJson }) {
  const why = useLoaded(() => get<Answer>(`./v1/jobs/${job.id}/why`), [job.version, job.phase], {
    everyMs: 5_000,
  });
  const answer = why.value.value;
  if (TERMINAL.has(job.phase)) return null;
  if (answer === null) return <Coming />;
  // What the sentence says already is not said twice, and waits are shown as a tree.
  const isSaid = (value: unknown): boolean =>
    typeof value === 'string' && answer.message.includes(value);
  const facts = Object.entries(answer.facts).filter(
    ([name, value]) => value !== null && name !== 'waits' && !isSaid(value),
  );
  return (
    <section class="card why">
      <p>
        <Prose text={answer.message} />
      </p>
      <div class="quiet">
        since <Ago time={answer.since} />
        {typeof answer.until === 'string' && (
          <>
            {' '}
            · ends <Ago time={answer.until} />
          </>
        )}
        {facts.map(([name, value]) => (
          <span key={name}>
            {' '}
            · {wordsOf(name)} <Fact value={value} />
          </span>
        ))}
      </div>
    </section>
  );
}
