import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { JobJson } from '../../../../pawl/src/contract/job.ts';
import { now } from '../../now.ts';
import { ProgressBar } from '../../parts/progress-bar.tsx';

interface Stage {
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

interface Given {
  readonly job: JobJson;
  readonly stages: readonly Stage[];
  /** What it has generated so far. */
  readonly text: string;
}

const PROGRESS_MIN = 3;

/** When it will be done if it goes on as it did; nothing before there is something to go by. */
function restMs(job: JobJson, time: number): number | null {
  if (job.phase !== 'executing' || job.startedAt === null || job.progress < PROGRESS_MIN)
    return null;
  const spent = time - Date.parse(job.startedAt);
  return (spent / job.progress) * (100 - job.progress);
}

function stageShare(progress: number, { min, max }: Stage): number {
  const share = (progress - min) / Math.max(1, max - min);
  return 100 * Math.min(1, Math.max(0, share));
}

/** How far it is, stage by stage, and when it will be done. */
export function JobProgress({ job, stages, text }: Given) {
  const rest = restMs(job, now.value);
  // Of a job that failed before it got anywhere there is nothing to see.
  if (job.completedAt !== null && job.progress === 0 && text === '') return null;
  return (
    <section class="card">
      <div class="head">
        <b>
          {Math.round(job.progress)} % <span class="quiet">{job.message ?? job.stage ?? ''}</span>
        </b>
        {rest !== null && <span class="quiet">about {durationText(rest)} to go</span>}
      </div>
      <ProgressBar progress={job.progress} phase={job.phase} stages={stages} isTall />
      {stages.length > 0 && (
        <div class="stages">
          {stages.map((stage) => (
            <div key={stage.name}>
              <div class={job.stage === stage.name ? '' : 'quiet'}>{stage.name}</div>
              <ProgressBar
                progress={stageShare(job.progress, stage)}
                phase={job.phase}
                label={stage.name}
              />
            </div>
          ))}
        </div>
      )}
      {text !== '' && (
        <pre tabIndex={0} aria-label="Text">
          {text}
        </pre>
      )}
    </section>
  );
}
