// A server that follows another one, and takes over from it under the same address.
import { cpSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Cluster } from '../support/postgres/cluster.ts';
import { eventually } from '../support/eventually.ts';
import type { Installation } from '../support/postgres/installations.ts';
import { ask, endOfWal } from './life.ts';
import { baseBackup, DATABASE, folderFor, platformServer, serverFor } from './servers.ts';

/** A server that follows another one. */
export async function standbyOf(
  context: TestContext,
  installation: Installation,
  primary: Cluster,
  settings: Readonly<Record<string, string>> = {},
): Promise<Cluster> {
  const base = join(folderFor(context, 'standby'), 'base');
  await baseBackup(primary, base);
  return serverFor(context, installation, {
    isStandby: true,
    settings: {
      primary_conninfo: `host=${primary.data} user=postgres application_name=reports`,
      wal_receiver_status_interval: '1s',
      ...settings,
    },
    fill: async (data) => {
      cpSync(base, data, { recursive: true });
      rmSync(join(data, 'postgresql.auto.conf'), { force: true });
      writeFileSync(join(data, 'standby.signal'), '');
    },
  });
}

/** Everything that the primary has written is to be seen there. */
export async function hasCaughtUp(primary: Cluster, standby: Cluster): Promise<boolean> {
  const end = await endOfWal(primary.url);
  return eventually('the standby has caught up', async () => {
    const [row] = await ask<{ has: boolean }>(
      standby.url,
      `SELECT pg_last_wal_replay_lsn() >= '${end}' AS has`,
    );
    return row!.has;
  });
}

/** As a new session finds it. */
async function rulesLoadedAt({ url }: Cluster): Promise<string> {
  const [row] = await ask<{ at: string }>(url, 'SELECT pg_conf_load_time()::text AS at');
  return row!.at;
}

/** Two servers behind one address, of which one leads. */
export interface Pair {
  readonly primary: Cluster;
  readonly standby: Cluster;
  /** The address of whichever leads. */
  readonly url: string;
  /** The address leads to the one or the other, whoever leads; who was connected is sent away. */
  leadTo(server: Cluster): Promise<void>;
  /** From now on the standby gets nothing more: what is written is lost when it takes over. */
  cut(): Promise<void>;
  /** Everything that was written is there. */
  caughtUp(): Promise<unknown>;
  /** The primary ends and the standby takes over. */
  failOver(): Promise<void>;
}

export async function pairOf(context: TestContext, installation: Installation): Promise<Pair> {
  const primary = await platformServer(context, installation);
  const standby = await standbyOf(context, installation, primary);
  const folder = folderFor(context, 'address');
  const name = '.s.PGSQL.5432';
  const lead = ({ data }: Cluster): void => {
    symlinkSync(join(data, name), join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, name));
  };
  lead(primary);
  return {
    primary,
    standby,
    url: `postgres://postgres@localhost/${DATABASE}?host=${encodeURI(folder)}`,
    leadTo: async (server) => {
      lead(server);
      const others = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = '${DATABASE}' AND pid <> pg_backend_pid()`;
      for (const { url } of [primary, standby]) await ask(url, others);
    },
    cut: async () => {
      const rules = 'local replication all reject\nlocal all all trust\n';
      const loadedAt = await rulesLoadedAt(primary);
      writeFileSync(join(primary.data, 'pg_hba.conf'), rules);
      await ask(primary.url, 'SELECT pg_reload_conf()');
      // Until then a follower that was sent away would be let in again.
      const isLoaded = async () => (await rulesLoadedAt(primary)) !== loadedAt;
      await eventually('the rules are in force', isLoaded);
      await eventually('nobody follows any more', async () => {
        const sql = 'SELECT pg_terminate_backend(pid) FROM pg_stat_replication';
        return (await ask(primary.url, sql)).length === 0;
      });
    },
    caughtUp: () => hasCaughtUp(primary, standby),
    failOver: async () => {
      await primary.halt();
      await ask(standby.url, 'SELECT pg_promote()');
      lead(standby);
    },
  };
}
