import type { DiagnosisJson } from '../../../../pawl/src/contract/doctor.ts';
import type { QueueJson } from '../../../../pawl/src/contract/queue.ts';
import type { SloJson } from '../../../../pawl/src/contract/slo.ts';

interface Problem {
  readonly level: 'fault' | 'warning' | 'notice';
  readonly message: string;
  readonly action: string | null;
}

const SHOWN = 4;
const RANKS = { fault: 0, warning: 1, notice: 2 };

function queueProblems(queues: readonly QueueJson[]): Problem[] {
  return queues.flatMap(({ name, isPaused, isShedding, reason }): Problem[] => {
    const why = reason === null ? '' : `: ${reason}`;
    if (isPaused) {
      const action = 'Resume it on the page of queues.';
      return [{ level: 'warning', message: `The queue ${name} is paused${why}`, action }];
    }
    if (!isShedding) return [];
    const message = `The queue ${name} is full and refuses new jobs${why}`;
    return [{ level: 'fault', message, action: 'Add workers or raise its watermark.' }];
  });
}

function sloProblems(slos: readonly SloJson[]): Problem[] {
  return slos.flatMap(({ type, alerts }): Problem[] => {
    if (!alerts.some(({ isFiring }) => isFiring)) return [];
    const message = `${type} fails so often that its error budget is burning`;
    return [{ level: 'fault', message, action: 'See under Failures what they have in common.' }];
  });
}

function doctorProblems({ findings }: DiagnosisJson): Problem[] {
  return findings.flatMap(({ level, message, action }) =>
    level === 'good' ? [] : [{ level, message, action }],
  );
}

interface Given {
  readonly queues: readonly QueueJson[];
  readonly slos: readonly SloJson[];
  /** For those who run the platform; null for all others. */
  readonly diagnosis: DiagnosisJson | null;
}

/** What is wrong and what to do, the worst first; nothing where all is well. */
export function Problems({ queues, slos, diagnosis }: Given) {
  const problems = [
    ...sloProblems(slos),
    // The doctor looks at queues too.
    ...(diagnosis === null ? queueProblems(queues) : doctorProblems(diagnosis)),
  ].toSorted((one, other) => RANKS[one.level] - RANKS[other.level]);
  if (problems.length === 0) return null;
  return (
    <ul class="problems" aria-label="Problems">
      {problems.slice(0, SHOWN).map(({ level, message, action }) => (
        <li key={message} class={level}>
          <b class="level">{level}</b>
          <span class="breaks">{message}</span>
          {action !== null && <span class="quiet">{action}</span>}
        </li>
      ))}
      {problems.length > SHOWN && (
        <li class="quiet">
          and {problems.length - SHOWN} more: <code>pawl doctor</code> shows all
        </li>
      )}
    </ul>
  );
}
