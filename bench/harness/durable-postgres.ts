import type pg from 'pg';
import { type Cluster, startCluster } from '../../test/support/postgres/cluster.ts';
import { findInstallations } from '../../test/support/postgres/installations.ts';

type Settings = Readonly<Record<string, string>>;

/** As a careful owner would run it: every commit is on the disk before it is answered. */
const DURABLE: Settings = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '1GB',
  max_wal_size: '4GB',
  checkpoint_timeout: '10min',
};

const SHOWN = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size'];

/** A server of the newest version here, or null where there is none; `others` go before. */
export async function startDurablePostgres(others: Settings = {}): Promise<Cluster | null> {
  const newest = findInstallations().at(-1);
  return newest === undefined ? null : startCluster(newest.binFolder, { ...DURABLE, ...others });
}

/** The server's version and the settings on which its figures depend. */
export async function conditionsOf(
  client: pg.Client,
  more: readonly string[] = [],
): Promise<string> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY ($1)`,
    [[...SHOWN, ...more]],
  );
  const { rows: version } = await client.query<{ v: string }>(
    `SELECT current_setting('server_version') AS v`,
  );
  const settings = rows.map(({ name, value }) => `${name}=${value}`).join(', ');
  return `PostgreSQL ${version[0]!.v}: ${settings}`;
}
