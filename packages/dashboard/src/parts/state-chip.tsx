import type { JobJson } from '../../../pawl/src/contract/job.ts';

/** Words for a state that say its phase too; the ends of jobs all do. */
const SPEAKING: Readonly<Record<string, RegExp>> = {
  held: /created|held|draft/,
  ready: /pending|queued|ready/,
  leased: /assigned|leased|claimed/,
  executing: /running|executing|processing/,
  waiting: /retry|waiting|snoozed/,
};

/** One word may stand for several phases: then colour must not be all that tells them apart. */
function phaseToSay({ state, phase }: Pick<JobJson, 'state' | 'phase'>): string | null {
  const speaking = SPEAKING[phase];
  return speaking === undefined || speaking.test(state.toLowerCase()) ? null : phase;
}

/** A state in the lifecycle's own word, in the colour of its phase. */
export function StateChip({ job }: { readonly job: Pick<JobJson, 'state' | 'phase'> }) {
  const phase = phaseToSay(job);
  return (
    <span class={`state ${job.phase}`} title={`phase: ${job.phase}`}>
      {job.state}
      {phase !== null && ` · ${phase}`}
    </span>
  );
}
