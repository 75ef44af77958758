import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { headers } from '../../api.ts';
import { Action } from '../../parts/action.tsx';
import { ProblemBox } from '../../parts/notice.tsx';

type Step =
  | { readonly kind: 'violation'; readonly violation: { readonly message?: string } }
  | { readonly kind: 'progress' | 'done'; readonly jobs: number; readonly events: number };

interface Standing {
  readonly jobs: number;
  readonly events: number;
  readonly violations: readonly string[];
  readonly isDone: boolean;
}

const NOTHING: Standing = { jobs: 0, events: 0, violations: [], isDone: false };
const VIOLATIONS_SHOWN = 100;

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const piece of body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function after(before: Standing, step: Step): Standing {
  if (step.kind === 'violation') {
    const text = step.violation.message ?? JSON.stringify(step.violation);
    return { ...before, violations: [...before.violations, text].slice(0, VIOLATIONS_SHOWN) };
  }
  return { ...before, jobs: step.jobs, events: step.events, isDone: step.kind === 'done' };
}

function Outcome({ standing }: { readonly standing: Standing }) {
  const { jobs, events, violations, isDone } = standing;
  const counts = `${jobs.toLocaleString('en')} jobs with ${events.toLocaleString('en')} events`;
  return (
    <>
      <p role="status">
        {isDone ? `Checked ${counts}: ` : `Verifying… ${counts} so far`}
        {isDone && violations.length === 0 && <span class="good">all invariants hold.</span>}
        {isDone && violations.length > 0 && (
          <span class="bad">{violations.length} violations.</span>
        )}
      </p>
      {violations.length > 0 && (
        <ul class="lines">
          {violations.map((text) => (
            <li key={text} class="breaks">
              {text}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Checks all stored history against the laws, on demand. */
export function Verify() {
  const standing = useSignal<Standing | null>(null);
  const error = useSignal<Error | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const isRunning = standing.value !== null && !standing.value.isDone && error.value === null;
  const run = async (): Promise<void> => {
    stop.current?.abort();
    const { signal } = (stop.current = new AbortController());
    standing.value = NOTHING;
    error.value = null;
    try {
      const response = await fetch('./v1/doctor/verify', { headers: headers(), signal });
      if (!response.ok || response.body === null) {
        throw new Error(`The server answered with ${response.status}: look at its log`);
      }
      for await (const line of linesOf(response.body)) {
        standing.value = after(standing.value, JSON.parse(line) as Step);
      }
    } catch (fault) {
      if (!signal.aborted) error.value = fault as Error;
    }
  };
  return (
    <section class="card" aria-label="All history">
      <div class="head">
        <h2>Verify all history</h2>
        <Action needs="audit:read" onClick={() => void run()} isBusy={isRunning}>
          {isRunning ? 'Verifying…' : 'Verify'}
        </Action>
      </div>
      <p class="quiet">
        Reads every stored job and event and checks the invariants: one owner per epoch, one event
        per transition, no step backwards. This can take a while.
      </p>
      {error.value !== null && <ProblemBox error={error.value} />}
      {standing.value !== null && <Outcome standing={standing.value} />}
    </section>
  );
}
