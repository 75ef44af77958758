// A real PgBouncer in transaction mode, with every other setting as it is packaged.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findProgram } from '../../../scripts/peers/debian.ts';
import { freePort } from '../free-port.ts';
import { serverAccount } from './account.ts';

export interface Pgbouncer {
  /** The address of a database behind it: the one that this address names on the server. */
  urlOf(direct: string): string;
  stop(): Promise<void>;
}

/** The path of a PgBouncer; null where there is none and none may be installed. */
export function findPgbouncer(): Promise<string | null> {
  return findProgram({
    names: ['pgbouncer'],
    package: 'pgbouncer',
    variable: 'PGBOUNCER_PATH',
  });
}

function settingsFor(server: URL, { folder, port }: { folder: string; port: number }): string {
  const host = server.searchParams.get('host') ?? server.hostname;
  return `[databases]
* = host=${host} port=${server.port || '5432'}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
`;
}

/** Starts one before a server; `stop` ends it and removes every trace. */
export async function startPgbouncer(path: string, serverUrl: string): Promise<Pgbouncer> {
  const account = serverAccount();
  const folder = mkdtempSync(join(tmpdir(), 'pawl-pgbouncer-'));
  const port = await freePort();
  const server = new URL(serverUrl);
  const ini = join(folder, 'pgbouncer.ini');
  writeFileSync(ini, settingsFor(server, { folder, port }));
  const users = [server.username, 'pawl_behind'].map((name) => `"${name}" ""\n`);
  writeFileSync(join(folder, 'users.txt'), users.join(''));
  if (account) chownSync(folder, account.uid, account.gid);
  const child = spawn(path, [ini], { ...account, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const said: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    if (line.includes('process up')) {
      child.stderr.resume();
      return { urlOf: (direct) => behind(direct, port), stop };
    }
    said.push(line);
  }
  await stop();
  throw new Error(`PgBouncer did not start:\n${said.join('\n')}`);
}

function behind(direct: string, port: number): string {
  const { username, pathname } = new URL(direct);
  return `postgres://${username}@127.0.0.1:${port}${pathname}`;
}
