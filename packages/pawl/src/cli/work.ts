import { setTimeout as sleep } from 'node:timers/promises';
import { loadJobs } from '../settings/load-jobs.ts';
import { stopSignal } from '../settings/stop-signal.ts';
import { RemoteArtifacts, RemoteSource } from '../client/client.ts';
import { registrationOf } from '../client/registration.ts';
import { largeSource } from '../engine/by-reference.ts';
import { withCompensations } from '../handler/compensation.ts';
import { type ErrorCode, isPawlError } from '../core/errors.ts';
import { definitionsIn, type JobDefinition } from '../handler/define-job.ts';
import type { JobType } from '../handler/job-type.ts';
import { openWorker } from '../worker/open-worker.ts';
import { claimWaitMs } from './claim-wait.ts';
import { UsageError } from './exit-code.ts';
import type { Session } from './session.ts';
import { countText } from './terminal/words.ts';

export interface WorkOptions {
  /** The module that exports the jobs; left out: `jobs` are all. */
  readonly module: string | undefined;
  readonly jobs: readonly JobType[];
  readonly slots: number;
  readonly queues: readonly string[] | null;
}

/** Registers the jobs of a module with a server and works on them until a signal. */
export async function work(session: Session, options: WorkOptions): Promise<void> {
  const { client, screen, url } = session;
  const { slots, queues } = options;
  const stopped = stopSignal();
  const { module } = options;
  const jobs = module === undefined ? definitionsIn(options.jobs) : await loadJobs(module);
  if (jobs.length === 0) throw new UsageError('pawl.config.ts has no jobs: list them as `jobs`');
  if (!(await registerOnceThere(session, withCompensations(jobs), stopped))) return;
  const { connection } = client;
  const artifacts = new RemoteArtifacts({ connection });
  const worker = openWorker({
    source: largeSource(new RemoteSource({ connection, waitMs: claimWaitMs(jobs) }), artifacts),
    artifacts,
    jobs,
    slots,
    queues,
    log: { warn: (message, facts) => screen.talk(`${message} ${JSON.stringify(facts)}`) },
  });
  worker.start();
  const types = jobs.map(({ type }) => type).join(', ');
  screen.talk(`Working for ${url} with ${countText(slots, 'slot')}: ${types}. Ctrl-C stops.`);
  await Promise.race([stopped, worker.stopped]);
  if (worker.mode === 'stopped')
    return screen.talk('Drained: an operator asked this worker to stop.');
  screen.talk('Finishing what is in flight…');
  await worker.drain();
}

/** A key for workers may not change what is registered: then the server's word is good. */
async function register(session: Session, job: JobDefinition): Promise<void> {
  const { client, screen } = session;
  const path = `/v1/types/${encodeURIComponent(job.type)}`;
  try {
    await client.putType(job.type, registrationOf(job));
  } catch (error) {
    if (!isPawlError(error) || error.code !== 'FORBIDDEN') throw error;
    await session.call({ method: 'GET', path }).catch(() => {
      throw error;
    });
    screen.talk(`${error.message}: its jobs go by what the server has.`);
  }
}

const LOOK_MS = 1_000;

/** The server is not there yet, or its database is not. */
function isAway(error: unknown): boolean {
  return isPawlError(error) && AWAY.has(error.code);
}

const AWAY: ReadonlySet<ErrorCode> = new Set([
  'OUTCOME_UNKNOWN',
  'STORE_UNAVAILABLE',
  'STORE_NOT_WRITABLE',
  'SERVER_BUSY',
]);

/** A worker may be started before its server. False: it was stopped before that came. */
async function registerOnceThere(
  session: Session,
  jobs: readonly JobDefinition[],
  stopped: Promise<void>,
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      for (const job of jobs) await register(session, job);
      return true;
    } catch (error) {
      if (!isAway(error)) throw error;
      if (tries === 1) session.screen.talk(`Waiting for ${session.url}: it has not answered yet.`);
    }
    const isStopped = await Promise.race([stopped.then(() => true), sleep(LOOK_MS, false)]);
    if (isStopped) return false;
  }
}
