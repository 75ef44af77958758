// Servers of their own for drills: they are stopped, copied, followed and upgraded.
import { execFile } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { serverAccount } from '../support/postgres/account.ts';
import { type Cluster, type ClusterOptions, openCluster } from '../support/postgres/cluster.ts';
import { findInstallations, type Installation } from '../support/postgres/installations.ts';
import { ask, urlOf } from './life.ts';

export const installations = findInstallations();

/** Those that have more than a server. */
export function withTools(...tools: readonly string[]): Installation[] {
  return installations.filter(({ binFolder }) =>
    tools.every((tool) => existsSync(join(binFolder, tool))),
  );
}

/** A server that ends with the test. */
export async function serverFor(
  context: TestContext,
  { binFolder }: Installation,
  options: ClusterOptions = {},
): Promise<Cluster> {
  const cluster = await openCluster(binFolder, options);
  context.after(() => cluster.stop());
  return cluster;
}

export const DATABASE = 'platform';

/** The same with an empty database. */
export async function platformServer(
  context: TestContext,
  installation: Installation,
  settings: Readonly<Record<string, string>> = {},
): Promise<Cluster & { readonly platform: string }> {
  const cluster = await serverFor(context, installation, { settings });
  await ask(cluster.url, `CREATE DATABASE ${DATABASE}`);
  return { ...cluster, platform: urlOf(cluster, DATABASE) };
}

/** A folder that the server may write to, gone with the test. */
export function folderFor(context: TestContext, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `pawl-${name}-`));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const account = serverAccount();
  if (account) chownSync(folder, account.uid, account.gid);
  return folder;
}

/** Copies the files of a server that goes on working, as pg_basebackup does. */
export async function baseBackup(cluster: Cluster, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('drill', true)`);
    const isLeftOut =
      /(?:^|\/)(?:postmaster\.(?:pid|opts)|\.s\.PGSQL.*|pg_wal\/.+|pg_replslot\/.+)$/;
    const filter = (path: string): boolean => !isLeftOut.test(path.slice(cluster.data.length));
    cpSync(cluster.data, to, { recursive: true, filter, verbatimSymlinks: true });
    mkdirSync(join(to, 'pg_wal', 'archive_status'), { recursive: true });
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(false)',
    );
    writeFileSync(join(to, 'backup_label'), rows[0]!.labelfile);
  } finally {
    await client.end();
  }
}

/** Runs a tool of an installation as the account of the server. */
export async function runTool(
  { binFolder }: Installation,
  [tool, ...args]: readonly [string, ...string[]],
  cwd: string,
): Promise<string> {
  const run = promisify(execFile);
  const { stdout } = await run(join(binFolder, tool), args, { ...serverAccount(), cwd });
  return stdout;
}
