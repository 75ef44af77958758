import type { DiagnosisJson } from '../../../../pawl/src/contract/doctor.ts';
import type { QueueJson } from '../../../../pawl/src/contract/queue.ts';
import type { SloJson } from '../../../../pawl/src/contract/slo.ts';
import { get, send, getAll } from '../../api.ts';
import { isSettled, useLoaded } from '../../load.ts';
import { Action } from '../../parts/action.tsx';
import { dayText } from '../../parts/clock.ts';
import { act, ProblemBox } from '../../parts/notice.tsx';
import { hrefOf } from '../../route.ts';

interface Problem {
  readonly level: 'fault' | 'warning' | 'notice';
  /** Problems of one kind are told together. */
  readonly kind: string;
  readonly message: string;
  readonly action: string | null;
  /** Where what it names is to be seen; null where there is no such page. */
  readonly href: string | null;
  /** A paused queue, which can be resumed in place. */
  readonly paused?: string;
}

const RANKS = { fault: 0, warning: 1, notice: 2 };

/** The pages of what a check of the doctor speaks of. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  workers: ['workers'],
  'held back': ['queues'],
  'dead letters': ['dead-letters'],
  failures: ['failures'],
};

function queueProblems(queues: readonly QueueJson[]): Problem[] {
  return queues.flatMap(({ name, isPaused, pausedUntil, isShedding, reason }): Problem[] => {
    const why = reason === null ? '' : `: ${reason}`;
    const place = { kind: 'held back', href: hrefOf(['queues', name]) };
    if (isPaused) {
      const action = 'Resume the queue when its jobs may run again.';
      const end = pausedUntil === null ? '' : ` until ${dayText(pausedUntil)}`;
      const message = `The queue ${name} is paused${end}${why}`;
      return [{ ...place, level: 'warning', message, action, paused: name }];
    }
    if (!isShedding) return [];
    const message = `The queue ${name} is full and refuses new jobs${why}`;
    return [{ ...place, level: 'fault', message, action: 'Add workers or raise its watermark.' }];
  });
}

function sloProblems(slos: readonly SloJson[]): Problem[] {
  return slos.flatMap(({ type, alerts }): Problem[] => {
    if (!alerts.some(({ isFiring }) => isFiring)) return [];
    const message = `${type} is burning its error budget: too many of its jobs fail`;
    const action = 'Look at its failures by cause.';
    const href = hrefOf(['failures'], { type });
    return [{ level: 'fault', kind: 'burning', message, action, href }];
  });
}

/** The page of what a finding names, or else of what its check speaks of. */
function hrefFor({ check, about }: DiagnosisJson['findings'][number]): string | null {
  if (about?.kind === 'queue') return hrefOf(['queues', about.name]);
  const place = PLACES[check];
  if (check === 'failures') return hrefOf(['failures'], { type: about?.name ?? '' });
  if (about !== undefined && check !== 'dead letters') return hrefOf(['types', about.name]);
  return place === undefined ? null : hrefOf(place);
}

function doctorProblems({ findings }: DiagnosisJson): Problem[] {
  return findings.flatMap((finding): Problem[] => {
    const { check, level, message, action, about } = finding;
    if (level === 'good') return [];
    const isPausedQueue = about?.kind === 'queue' && about.isPaused === true;
    const paused = isPausedQueue ? { paused: about.name } : {};
    return [{ level, kind: check, message, action, href: hrefFor(finding), ...paused }];
  });
}

/** Those of one kind and level as one; the first of them says what it is about. */
function grouped(problems: readonly Problem[]): Problem[][] {
  const sorted = problems.toSorted((one, other) => RANKS[one.level] - RANKS[other.level]);
  const groups = new Map<string, Problem[]>();
  for (const problem of sorted) {
    const key = `${problem.level} ${problem.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), problem]);
  }
  return [...groups.values()];
}

interface ToldGiven {
  readonly problem: Problem;
  readonly onDone: () => void;
}

async function resume(queue: string): Promise<void> {
  const path = `./v1/queues/${encodeURIComponent(queue)}`;
  const body = { isPaused: false, reason: null };
  await act(() => send('PATCH', path, body), `${queue} resumed`);
}

function Told({ problem, onDone }: ToldGiven) {
  const { message, action, href, paused } = problem;
  return (
    <>
      {href === null ? (
        <span class="breaks">{message}</span>
      ) : (
        <a class="breaks" href={href}>
          {message}
        </a>
      )}
      {paused === undefined && action !== null && <span class="quiet">{action}</span>}
      {paused !== undefined && (
        <Action needs="queues:write" onClick={() => void resume(paused).then(onDone)}>
          Resume
        </Action>
      )}
    </>
  );
}

function Group({ problems, onDone }: { problems: readonly Problem[]; onDone: () => void }) {
  const [first, ...more] = problems;
  return (
    <li class={first!.level}>
      <b class="level">{first!.level}</b>
      <Told problem={first!} onDone={onDone} />
      {more.length > 0 && (
        <details>
          <summary>{more.length} more like this</summary>
          {more.map((problem) => (
            <p key={problem.message}>
              <Told problem={problem} onDone={onDone} />
            </p>
          ))}
        </details>
      )}
    </li>
  );
}

/** What is wrong and what to do, the worst first. Each source is shown as soon as it answers. */
export function Problems() {
  const every = { everyMs: 15_000 };
  const queues = useLoaded(() => getAll<QueueJson>('./v1/queues'), [], every);
  const slos = useLoaded(() => getAll<SloJson>('./v1/slo'), [], every);
  // For those who run the platform alone: to all others it is refused, which is no problem.
  const doctor = useLoaded(
    async () => ({ found: await get<DiagnosisJson>('./v1/doctor').catch(() => null) }),
    [],
    every,
  );
  const diagnosis = doctor.value.value?.found ?? null;
  const groups = grouped([
    ...sloProblems(slos.value.value?.items ?? []),
    // The doctor looks at queues too.
    ...(diagnosis === null
      ? queueProblems(queues.value.value?.items ?? [])
      : doctorProblems(diagnosis)),
  ]);
  const unread = [queues, slos].flatMap(({ error }) => error.value ?? []);
  const isSure = [queues, slos, doctor].every(isSettled) && unread.length === 0;
  return (
    <section aria-label="Problems" class="card problem-panel" tabIndex={0}>
      <h2>Problems</h2>
      {unread.slice(0, 1).map((error) => (
        <ProblemBox key={error.message} error={error} />
      ))}
      {groups.length === 0 && unread.length === 0 && (
        <p class="quiet">{isSure ? 'No problems found.' : 'Loading…'}</p>
      )}
      {groups.length > 0 && (
        <ul class="problems">
          {groups.map((problems) => (
            <Group
              key={`${problems[0]!.level} ${problems[0]!.kind}`}
              problems={problems}
              onDone={() => [queues, doctor].forEach((one) => one.reload())}
            />
          ))}
        </ul>
      )}
    </section>
  );
}
