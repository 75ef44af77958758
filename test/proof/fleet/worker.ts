// `worker.ts <name> <url>[,<url>…]`: a worker on the database itself, or behind HTTP. With
// PROOF_PLANT it is a bad one, which a proof must find.
import { openInner } from '../../support/inner-pawl.ts';
import { Connection } from 'pawl/internal/client/connection';
import { RemoteSource } from 'pawl/internal/client/remote-source';
import type { JobSource } from 'pawl/internal/engine/source';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { drainOnSignal } from 'pawl/internal/worker/shutdown';
import { bad, type BadOptions, type Badness, sleepyClock } from './bad-source.ts';
import { errand, flow } from './jobs.ts';
import { noted } from './noted-source.ts';

const [name = '', where = ''] = process.argv.slice(2);
const badness = process.env['PROOF_PLANT'] as Badness | '';
const jobs = [errand, flow];
const log = {
  warn: (message: string, facts: unknown): void =>
    void process.stdout.write(`${message} ${JSON.stringify(facts)}\n`),
};

async function work(source: JobSource, read: BadOptions['read']): Promise<void> {
  const worker = openWorker({
    source: noted(badness === '' ? source : bad(source, { badness, read })),
    jobs,
    id: `${name}-${process.pid}`,
    log,
    pollMs: { minMs: 20, maxMs: 250 },
    ...(badness === '' ? {} : { clock: sleepyClock() }),
  });
  worker.start();
  process.stdout.write('the worker is running\n');
  await drainOnSignal(worker, { timeout: 3_000, grace: 1_000 });
}

if (where.startsWith('postgres')) {
  const pawl = await openInner({ database: where, jobs, log });
  await work(pawl.engine, async (ref) => {
    const { owner, epoch } = await pawl.engine.job(ref);
    return owner === null ? null : { owner, epoch };
  });
  await pawl.close();
} else {
  const connection = new Connection({ url: where.split(','), timeoutMs: 2_500, retriesMax: 1 });
  await work(new RemoteSource({ connection, waitMs: 500 }), async (ref) => {
    const { body } = await connection.call({ method: 'GET', path: `/v1/jobs/${ref.id}` });
    const { lease, epoch } = body as { lease: { owner: string } | null; epoch: number };
    return lease === null ? null : { owner: lease.owner, epoch };
  });
}
process.exit(0);
