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
    drop: () => execute(server.url, `drop database if exists ${name} with (force)`),
  };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
