import type { Claim } from '../engine/claim.ts';
import type { Ending } from '../engine/settle.ts';
import type { AttemptPort } from '../handler/attempt-port.ts';
import type { Launch } from './isolate/execution.ts';

/** Looks on while a worker works, for metrics and traces; without one nothing is paid for it. */
export interface WorkerWatch {
  /** Jobs came into its hands; it took so long to get them. */
  claimed(claims: readonly Claim[], tookMs: number): void;
  /** A handler is about to run. */
  begin(claim: Claim): AttemptWatch;
}

/** One attempt, from its handler's first line until its end is reported. */
export interface AttemptWatch {
  /** Runs the handler (stage null) or a stage's work, so that what it does is part of it. */
  within<Answer>(stage: string | null, work: () => Answer): Answer;
  entered(stage: string): void;
  left(stage: string): void;
  /** The handler has ended; null: the job is another's by now, and nothing is reported. */
  ended(ending: Ending | null): void;
  /** The end was reported, or there was none to report. */
  closed(): void;
  /** What a later attempt is to find among the kept results, if anything. */
  readonly legacy: { readonly name: string; readonly result: string } | null;
}

/** The same launch, with its handler's reports overheard. */
export function watchedLaunch(launch: Launch, watch: AttemptWatch): Launch {
  return { ...launch, port: overheard(launch.port, watch) };
}

function overheard(port: AttemptPort, watch: AttemptWatch): AttemptPort {
  const open = new Set<string>();
  return {
    tell: (report) => {
      if (report.stage !== undefined && !open.has(report.stage)) {
        open.add(report.stage);
        watch.entered(report.stage);
      }
      port.tell(report);
    },
    keep: (write) => {
      if ('stageResult' in write && open.delete(write.stageResult.name)) {
        watch.left(write.stageResult.name);
      }
      return port.keep(write);
    },
    putArtifact: (artifact) => port.putArtifact(artifact),
    openArtifact: (id) => port.openArtifact(id),
    within: (stage, work) => watch.within(stage, work),
  };
}

/** Several who look on, as one. */
export function watchTogether(watches: readonly WorkerWatch[]): WorkerWatch | null {
  if (watches.length <= 1) return watches[0] ?? null;
  return {
    claimed: (claims, tookMs) => watches.forEach((one) => one.claimed(claims, tookMs)),
    begin: (claim) => together(watches.map((one) => one.begin(claim))),
  };
}

function together(all: readonly AttemptWatch[]): AttemptWatch {
  return {
    within: (stage, work) =>
      all.reduceRight<() => ReturnType<typeof work>>(
        (inner, one) => () => one.within(stage, inner),
        work,
      )(),
    entered: (stage) => all.forEach((one) => one.entered(stage)),
    left: (stage) => all.forEach((one) => one.left(stage)),
    ended: (ending) => all.forEach((one) => one.ended(ending)),
    closed: () => all.forEach((one) => one.closed()),
    get legacy() {
      return all.map(({ legacy }) => legacy).find((one) => one !== null) ?? null;
    },
  };
}
