// An empty database for one test or one file.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { PostgresServer } from './servers.ts';

export interface FreshDatabase {
  url: string;
  /** Drops the database even while something is still connected to it. */
  drop(): Promise<void>;
}

/**
 * Creates a database on the server, empty or a copy of one that nobody is connected to; it takes
 * some tens of milliseconds.
 */
export async function freshDatabase(
  server: Pick<PostgresServer, 'url'>,
  template: string = 'template0',
): Promise<FreshDatabase> {
  const name = `pawl_test_${randomBytes(6).toString('hex')}`;
  await execute(server.url, `create database ${name} template ${template}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () =>
      withClient(server.url, async (client) => {
        await untilSessionsEnded(client, name);
        await client.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

/**
 * A pool of `pg` says that it has ended while its sessions are still on their way out. A session
 * that is cut off in that moment raises an error which no test can catch, so they are given time
 * to go by themselves; what stays on purpose is cut off after two seconds.
 */
async function untilSessionsEnded(client: pg.Client, name: string): Promise<void> {
  await client.query(`
    do $$
    begin
      for look in 1..100 loop
        perform pg_stat_clear_snapshot();
        exit when not exists (select from pg_stat_activity where datname = '${name}');
        perform pg_sleep(0.02);
      end loop;
    end $$`);
}

function execute(url: string, sql: string): Promise<unknown> {
  return withClient(url, (client) => client.query(sql));
}

async function withClient<T>(url: string, body: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}
