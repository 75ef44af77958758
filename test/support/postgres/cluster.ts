// One throw-away PostgreSQL server: its own folder, a unix socket in it, no durability.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Account, canReach, serverAccount } from './account.ts';

type Settings = Readonly<Record<string, string>>;

export interface Cluster {
  url: string;
  /** The folder of its data, and of its socket. */
  data: string;
  /** Shuts the server down and keeps its data; what was committed is there after `resume`. */
  halt(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** How a server begins: with an empty cluster, unless a folder is filled for it. */
export interface ClusterOptions {
  readonly settings?: Settings;
  /** Fills the folder of the data, which does not exist yet, instead of initdb. */
  readonly fill?: (data: string) => Promise<void>;
  /** True of one that follows another server: it is ready when it can be read. */
  readonly isStandby?: boolean;
}

/** For tests: fast, and gone after a power cut. */
const settings: Settings = {
  listen_addresses: '',
  max_connections: '300',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '128MB',
  // Statement errors are part of many tests; only the server's own messages are worth reading.
  log_min_messages: 'log',
  timezone: 'UTC',
};

/**
 * Starts a server from the binaries in `binFolder`; `stop` ends it and removes every trace. A
 * benchmark asks for other settings: its commits must reach the disk.
 */
export function startCluster(binFolder: string, others: Settings = {}): Promise<Cluster> {
  return openCluster(binFolder, { settings: others });
}

/** The same, where the cluster may come from elsewhere: a backup, a server that is followed. */
export async function openCluster(
  binFolder: string,
  { settings: others = {}, fill, isStandby = false }: ClusterOptions,
): Promise<Cluster> {
  const account = serverAccount();
  // Many containers let nothing be run from memory, so binaries that are copied stay on the disk.
  const isInPlace = !account || canReach(join(binFolder, 'postgres'), account);
  const isLasting = { ...settings, ...others }['fsync'] !== 'off';
  const memory = isInPlace && !isLasting ? memoryFolder() : null;
  const parent = memory ?? temporaryFolder(account);
  const folder = mkdtempSync(join(parent, 'pawl-postgres-'));
  let server: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    // Immediate shutdown: the data is about to be deleted, a checkpoint would be wasted.
    if (server) await end(server, 'SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    if (account) chownSync(folder, account.uid, account.gid);
    const bin = reachableBinaries(binFolder, folder, account);
    const data = join(folder, 'data');
    if (fill === undefined) await initialize(join(bin, 'initdb'), data, account);
    else {
      await fill(data);
      if (account) giveAll(data, account);
    }
    const resume = async (): Promise<void> => {
      server = await serve(join(bin, 'postgres'), { data, account, others, isStandby });
    };
    await resume();
    const url = `postgres://postgres@localhost/postgres?host=${encodeURI(data)}`;
    return { url, data, halt: () => end(server!, 'SIGINT'), resume, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const MEMORY = '/dev/shm';
/** Many times what a run of all tests fills. */
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;

/**
 * A server that keeps nothing has no use for a disk: making and removing thousands of small files
 * costs ext4 as much processor time as all statements cost the server. Null: there is no room.
 */
function memoryFolder(): string | null {
  if (!existsSync(MEMORY) || process.availableMemory() < MEMORY_BYTES_MIN) return null;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < MEMORY_BYTES_MIN ? null : MEMORY;
}

function temporaryFolder(account: Account | undefined): string {
  return account && !canReach(tmpdir(), account) && existsSync('/tmp') ? '/tmp' : tmpdir();
}

/** A checkout inside a private home folder cannot be entered by another user, so it is copied. */
export function reachableBinaries(binFolder: string, folder: string, account?: Account): string {
  if (!account || canReach(join(binFolder, 'postgres'), account)) return binFolder;
  const copy = join(folder, 'native');
  mkdirSync(copy);
  cpSync(dirname(binFolder), copy, { recursive: true, verbatimSymlinks: true });
  giveAll(copy, account);
  return join(copy, 'bin');
}

function giveAll(folder: string, { uid, gid }: Account): void {
  chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveAll(path, { uid, gid });
    else if (entry.isFile()) chownSync(path, uid, gid);
  }
}

const INITDB = ['--no-sync', '--no-instructions', '--username=postgres', '--auth=trust'];

async function initialize(initdb: string, data: string, account?: Account): Promise<void> {
  const args = ['-D', data, ...INITDB, '--encoding=UTF8', '--locale=C'];
  const child = spawn(initdb, args, {
    ...account,
    cwd: dirname(data),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`initdb failed (${code}): ${complaints.trim()}`);
}

interface Serving {
  readonly data: string;
  readonly account: Account | undefined;
  readonly others: Settings;
  readonly isStandby: boolean;
}

async function serve(
  postgres: string,
  { data, account, others, isStandby }: Serving,
): Promise<ChildProcess> {
  const wanted = `ready to accept ${isStandby ? 'read-only ' : ''}connections`;
  const chosen = Object.entries({ ...settings, ...others });
  const flags = chosen.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(postgres, ['-D', data, '-k', data, ...flags], {
    ...account,
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  await new Promise<void>((ready, failed) => {
    child.once('error', failed);
    child.once('exit', (code) =>
      failed(new Error(`postgres ended (${code}) while starting:\n${said.join('\n')}`)),
    );
    createInterface(child.stderr).on('line', (line) => {
      said.push(line);
      if (said.length > 50) said.shift();
      if (line.includes(wanted)) ready();
    });
  });
  return child;
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
}
