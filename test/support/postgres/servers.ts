// The PostgreSQL servers that tests run against, whoever started them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { findInstallations, type Installation } from './installations.ts';

export interface PostgresServer {
  label: `postgres ${number}`;
  url: string;
  /** Ends a server that this process started; does nothing to one it was given. */
  stop(): Promise<void>;
}

const keeperPath = fileURLToPath(new URL('keeper.ts', import.meta.url));
const givenName = /^PAWL_TEST_PG(\d+)_URL$/;

let shared: Promise<PostgresServer[]> | undefined;

/**
 * The servers to test against, oldest first: the one of PAWL_TEST_DATABASE_URL; else those the test
 * runner started; else servers started now, once per process, which end with it at the latest.
 */
export function postgresServers(): Promise<PostgresServer[]> {
  shared ??= findOrStart();
  return shared;
}

/** The variable by which the runner hands a server to the test files. */
export function variableFor(server: PostgresServer): string {
  return `PAWL_TEST_PG${server.label.slice('postgres '.length)}_URL`;
}

async function findOrStart(): Promise<PostgresServer[]> {
  const chosen = process.env['PAWL_TEST_DATABASE_URL'];
  if (chosen) return [given(await majorAt(chosen), chosen)];
  const handed = Object.entries(process.env).flatMap(([name, url]) => {
    const major = givenName.exec(name)?.[1];
    return major && url ? [given(Number(major), url)] : [];
  });
  if (handed.length > 0) return handed.sort((a, b) => a.label.localeCompare(b.label));
  const installations = findInstallations();
  if (installations.length === 0) {
    throw new Error('no PostgreSQL 15 or newer found: set PAWL_TEST_DATABASE_URL');
  }
  return Promise.all(installations.map(start));
}

function given(major: number, url: string): PostgresServer {
  return { label: `postgres ${major}`, url, stop: async () => {} };
}

async function majorAt(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int / 10000 as version`,
    );
    return rows[0]?.version ?? 0;
  } finally {
    await client.end();
  }
}

async function start({ major, binFolder }: Installation): Promise<PostgresServer> {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  // Detached, so that Ctrl-C in the terminal reaches us and not the one who cleans up after us.
  const keeper = spawn(process.execPath, [keeperPath, binFolder], {
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const [line] = await Promise.race([
    once(createInterface(keeper.stdout), 'line'),
    once(keeper, 'exit').then(([code]) => [`{"error":"the keeper ended with ${code}"}`]),
  ]);
  const reply: { url?: string; error?: string } = JSON.parse(String(line));
  if (!reply.url) throw new Error(`postgres ${major} did not start: ${reply.error}`);
  keeper.unref();
  for (const pipe of [keeper.stdin, keeper.stdout]) (pipe as Socket).unref();
  const stop = async (): Promise<void> => {
    if (keeper.exitCode !== null || keeper.signalCode !== null) return;
    const ended = once(keeper, 'exit');
    keeper.ref();
    keeper.stdin.end();
    await ended;
  };
  return { label: `postgres ${major}`, url: reply.url, stop };
}
