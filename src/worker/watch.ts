import type { FlowAnswer, FlowCall } from '../core/flow.ts';
import type { Claim } from '../engine/claim.ts';
import type { Ending } from '../core/ending.ts';
import type { ArtifactDraft, KeptArtifact, OpenedArtifact } from '../handler/artifact.ts';
import type { AttemptPort, Keep, Report } from '../handler/attempt-port.ts';
import type { Launch } from './isolate/execution.ts';

/** Looks on while a worker works, for metrics and traces; without one nothing is paid for it. */
export interface WorkerWatch {
  /** Jobs came into its hands; it took so long to get them. */
  claimed(claims: readonly Claim[], tookMs: number): void;
  /** A handler is about to run; null where nobody wants to know more of it. */
  begin(claim: Claim): AttemptWatch | null;
  /** An error that nobody caught fails no attempt: it is not known whose, or came too late. */
  unattributed?(): void;
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
export function watchedLaunch({ job, facts, port }: Launch, watch: AttemptWatch): Launch {
  return { job, facts, port: new OverheardPort(port, watch) };
}

class OverheardPort implements AttemptPort {
  readonly #port: AttemptPort;
  readonly #watch: AttemptWatch;
  #open: Set<string> | null = null;

  constructor(port: AttemptPort, watch: AttemptWatch) {
    this.#port = port;
    this.#watch = watch;
  }

  tell(report: Report): void {
    const { stage } = report;
    if (stage !== undefined && this.#open?.has(stage) !== true) {
      this.#open ??= new Set();
      this.#open.add(stage);
      this.#watch.entered(stage);
    }
    this.#port.tell(report);
  }

  keep(write: Keep): Promise<void> {
    if ('stageResult' in write && this.#open?.delete(write.stageResult.name) === true) {
      this.#watch.left(write.stageResult.name);
    }
    return this.#port.keep(write);
  }

  putArtifact(artifact: ArtifactDraft): Promise<KeptArtifact> {
    return this.#port.putArtifact(artifact);
  }

  openArtifact(id: string): Promise<OpenedArtifact> {
    return this.#port.openArtifact(id);
  }

  flow(call: FlowCall): Promise<FlowAnswer> {
    return this.#port.flow(call);
  }

  within<Answer>(stage: string, work: () => Answer): Answer {
    return this.#watch.within(stage, work);
  }
}

/** Several who look on, as one. */
export function watchTogether(watches: readonly WorkerWatch[]): WorkerWatch | null {
  if (watches.length <= 1) return watches[0] ?? null;
  return {
    claimed: (claims, tookMs) => watches.forEach((one) => one.claimed(claims, tookMs)),
    begin: (claim) => {
      const begun = watches.map((one) => one.begin(claim)).filter((one) => one !== null);
      return begun.length <= 1 ? (begun[0] ?? null) : together(begun);
    },
    unattributed: () => watches.forEach((one) => one.unattributed?.()),
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
