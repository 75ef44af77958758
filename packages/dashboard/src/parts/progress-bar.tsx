interface Stage {
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

interface Bar {
  readonly progress: number;
  readonly phase: string;
  /** Marks where one stage ends and the next begins. */
  readonly stages?: readonly Stage[];
  readonly isTall?: boolean;
  readonly label?: string;
}

/** How far a job is, from 0 to 100. */
export function ProgressBar({
  progress,
  phase,
  stages = [],
  isTall = false,
  label = 'Progress',
}: Bar) {
  return (
    <div
      class={`bar ${phase} ${isTall ? 'tall' : ''}`}
      role="progressbar"
      aria-label={label}
      aria-valuenow={Math.round(progress)}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${progress}%` }} />
      {stages.slice(1).map(({ name, min }) => (
        <mark key={name} style={{ left: `${min}%` }} title={name} />
      ))}
    </div>
  );
}
