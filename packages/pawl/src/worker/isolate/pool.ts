import type { Failure } from '../../core/decision.ts';
import type { Outcome } from '../../handler/execute.ts';
import type { Isolated } from '../../handler/isolation.ts';
import { type Execution, InlineExecution, type Launch } from './execution.ts';
import { type Host, openHost } from './host.ts';
import type { FromChild } from './protocol.ts';
import { Session } from './session.ts';

/** Threads and processes with different limits are not exchangeable. */
function kindOf({ kind, memoryMb }: Isolated): string {
  return `${kind} ${memoryMb ?? 'unlimited'}`;
}

/** Told of an error that nobody caught and that fails no attempt, and whose it was, if known. */
export type LateListener = (failure: Failure, jobId: string | null) => void;

/**
 * Runs handlers where their types want to run. Threads and processes are kept for the next
 * attempt when a handler has ended by itself and left nothing behind, no timer that might still
 * throw; others are not used again.
 */
export class Pool {
  readonly #idle: Map<string, Host[]> = new Map();
  readonly #hosts: Set<Host> = new Set();
  readonly #onLate: LateListener;
  #isClosed = false;

  /** `onLate` is told of errors that a handler left behind for after its end. */
  constructor(onLate: LateListener) {
    this.#onLate = onLate;
  }

  launch(launch: Launch): Execution {
    const { isolation } = launch.job;
    if (isolation.kind === 'inline') return new InlineExecution(launch);
    return this.#launchIn(this.#take(isolation), isolation, launch);
  }

  /** Ends every thread and process, also those at work. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#hosts].map((host) => host.kill()));
  }

  #launchIn(host: Host, isolation: Isolated, { job, facts, port }: Launch): Execution {
    const { promise: outcome, resolve } = Promise.withResolvers<Outcome>();
    // A host that was put back may be at work for someone else.
    let isOurs = true;
    let isSound = true;
    const session = new Session(host, port);
    const receive = (message: FromChild): void => {
      if (message.kind === 'late') {
        isSound = false;
        return this.#onLate(message.failure, message.jobId);
      }
      if (message.kind !== 'ended') return session.hear(message);
      isOurs = false;
      session.close();
      if (message.isClean && isSound) this.#putBack(host, isolation);
      else this.#discard(host);
      resolve(message.outcome);
    };
    host.listener = {
      message: receive,
      gone: (error) => {
        session.close();
        this.#hosts.delete(host);
        resolve({ kind: 'fail', error, deadLetter: null });
      },
    };
    host.hold();
    const { module, export: name } = isolation;
    host.say({ kind: 'run', module, export: name, type: job.type, facts });
    return {
      outcome,
      stop: (stop) => {
        if (isOurs) host.say({ kind: 'stop', stop: stop.facts });
      },
      end: async () => {
        if (isOurs) await host.kill();
      },
    };
  }

  #take(isolation: Isolated): Host {
    const resting = this.#idle.get(kindOf(isolation))?.pop();
    if (resting !== undefined) return resting;
    const host = openHost(isolation);
    this.#hosts.add(host);
    return host;
  }

  /** What its handler left behind ends with it. */
  #discard(host: Host): void {
    host.listener = {
      message: (message) => this.#hearLate(message),
      gone: () => this.#hosts.delete(host),
    };
    void host.kill();
  }

  #putBack(host: Host, isolation: Isolated): void {
    if (this.#isClosed) return;
    const kind = kindOf(isolation);
    const idle = this.#idle.get(kind) ?? [];
    this.#idle.set(kind, idle);
    idle.push(host);
    host.rest();
    const leave = (): void => {
      const at = idle.indexOf(host);
      if (at >= 0) idle.splice(at, 1);
    };
    host.listener = {
      message: (message) => {
        if (!this.#hearLate(message)) return;
        leave();
        this.#discard(host);
      },
      gone: () => {
        this.#hosts.delete(host);
        leave();
      },
    };
  }

  #hearLate(message: FromChild): boolean {
    if (message.kind !== 'late') return false;
    this.#onLate(message.failure, message.jobId);
    return true;
  }
}
