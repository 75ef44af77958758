import { loadJobs } from '../settings/load-jobs.ts';
import { stopSignal } from '../settings/stop-signal.ts';
import { RemoteArtifacts, RemoteSource } from '../client/client.ts';
import { registrationOf } from '../client/registration.ts';
import { largeSource } from '../engine/by-reference.ts';
import { withCompensations } from '../handler/compensation.ts';
import { definitionsIn } from '../handler/define-job.ts';
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
  for (const job of withCompensations(jobs)) {
    await client.putType(job.type, registrationOf(job));
  }
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
  await stopped;
  screen.talk('Finishing what is in flight…');
  await worker.drain();
}
