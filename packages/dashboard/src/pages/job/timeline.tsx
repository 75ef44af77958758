import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import { type Stretch, stretchesOf } from '../../../../pawl/src/cli/terminal/timeline.ts';
import type { JobEventJson, JobJson } from '../../../../pawl/src/contract/job.ts';
import { now } from '../../now.ts';

/** A job that went round for days has more, and they are too short to be seen. */
const LINES_SHOWN = 60;

interface Given {
  readonly job: JobJson;
  readonly events: readonly JobEventJson[];
}

interface Line extends Stretch {
  readonly isStage: boolean;
}

/** Each attempt is followed by the stages that it entered. */
function linesOf({ job, events }: Given, time: number): Line[] {
  const entered = events.filter(({ type }) => type === 'job_stage_entered');
  return stretchesOf(job, events, time).flatMap((stretch) => {
    const within = entered.filter(({ timestamp }) => {
      const at = Date.parse(timestamp);
      return stretch.phase === 'executing' && at >= stretch.from && at <= stretch.to;
    });
    const stages = within.map((event, index) => ({
      label: event.stage ?? '',
      phase: stretch.phase,
      from: Date.parse(event.timestamp),
      to: index + 1 < within.length ? Date.parse(within[index + 1]!.timestamp) : stretch.to,
      end: '',
      isStage: true,
    }));
    return [{ ...stretch, isStage: false }, ...stages];
  });
}

/** Waits, attempts and their stages, to scale. */
export function JobTimeline(given: Given) {
  const lines = linesOf(given, now.value).slice(-LINES_SHOWN);
  const start = lines[0]?.from ?? 0;
  const length = Math.max(1, Math.max(...lines.map(({ to }) => to)) - start);
  const share = (at: number): string => `${(100 * (at - start)) / length}%`;
  return (
    <section class="card wide">
      <h2>Timeline</h2>
      <div class="timeline">
        {lines.map((line, index) => [
          <span key={`${index}n`} class={line.isStage ? 'indent' : ''}>
            {line.label}
          </span>,
          <div key={`${index}t`} class={`track ${line.phase}`} title={line.end}>
            <i
              style={{
                left: share(line.from),
                width: `${(100 * (line.to - line.from)) / length}%`,
                opacity: line.isStage ? 0.55 : 1,
              }}
            />
          </div>,
          <span key={`${index}d`} class="quiet">
            {durationText(line.to - line.from)}
          </span>,
        ])}
      </div>
    </section>
  );
}
