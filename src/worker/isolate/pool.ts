import type { Outcome } from '../../handler/execute.ts';
import type { Isolated } from '../../handler/isolation.ts';
import type { JobStop } from '../../handler/stop.ts';
import { type Execution, type Launch, launchInline } from './execution.ts';
import { type Host, openHost } from './host.ts';
import type { FromChild } from './protocol.ts';

/** Threads and processes with different limits are not exchangeable. */
function kindOf({ kind, memoryMb }: Isolated): string {
  return `${kind} ${memoryMb ?? 'unlimited'}`;
}

/**
 * Runs handlers where their types want to run. Threads and processes are kept for the next
 * attempt when a handler has ended by itself; one that was killed or broke is not used again.
 */
export class Pool {
  readonly #idle: Map<string, Host[]> = new Map();
  readonly #hosts: Set<Host> = new Set();
  #isClosed = false;

  launch(launch: Launch): Execution {
    const { isolation } = launch.job;
    if (isolation.kind === 'inline') return launchInline(launch);
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
    const receive = (message: FromChild): void => {
      if (message.kind === 'tell') for (const report of message.reports) port.tell(report);
      else if (message.kind === 'ended') {
        isOurs = false;
        this.#putBack(host, isolation);
        resolve(message.outcome);
      } else {
        const { number, write } = message;
        port.keep(write).then(
          () => host.say({ kind: 'kept', number, stop: null }),
          (stop: JobStop) => host.say({ kind: 'kept', number, stop: stop.facts }),
        );
      }
    };
    host.listener = {
      message: receive,
      gone: (error) => {
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

  #putBack(host: Host, isolation: Isolated): void {
    if (this.#isClosed) return;
    const kind = kindOf(isolation);
    const idle = this.#idle.get(kind) ?? [];
    this.#idle.set(kind, idle);
    idle.push(host);
    host.rest();
    const gone = (): void => {
      this.#hosts.delete(host);
      const at = idle.indexOf(host);
      if (at >= 0) idle.splice(at, 1);
    };
    host.listener = { message: () => undefined, gone };
  }
}
