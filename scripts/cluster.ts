// `npm run cluster`: a PostgreSQL with failover to try things on, until Ctrl-C.
import { once } from 'node:events';
import { PatroniCluster } from './cluster/cluster.ts';
import { at } from './cluster/plan.ts';
import { findPrograms } from './cluster/programs.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const programs = await findPrograms();
if ('missing' in programs) {
  process.stderr.write(
    `cluster: missing are ${programs.missing}, which could not be installed here: install them\n`,
  );
  process.exit(1);
}
const cluster = await PatroniCluster.prepare({ programs });
const asked = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => once(process, name)));
const started = cluster.start(say).then(
  () => null,
  (error: unknown) => `cluster: ${error instanceof Error ? error.message : String(error)}`,
);
const failure = await Promise.race([started, asked.then(() => 'cluster: asked to end')]);
if (failure === null) {
  const { urls } = cluster;
  say(`
through PgBouncer  DATABASE_URL=${urls.pgbouncer}
through HAProxy    DATABASE_URL=${urls.haproxy}
by several hosts   DATABASE_URL='${urls.hosts}'
replicas           ${urls.replicas}`);
  for (const { plan, name } of cluster.nodes) {
    say(`${name}              Patroni http://${at(plan, 'rest')}, etcd http://${at(plan, 'etcd')}`);
  }
  say('\nThe cluster is running, strictly synchronous. Ctrl-C ends it and removes everything.');
  await asked;
} else process.stderr.write(`${failure}\n`);
await cluster.close();
say('The cluster has ended.');
process.exit(failure === null ? 0 : 1);
