// A PostgreSQL of the fleet's own, whose commits reach the disk, and which can be tormented.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { lowered, serverAccount } from '../../support/postgres/account.ts';
import { reachableBinaries } from '../../support/postgres/cluster.ts';
import { findInstallations } from '../../support/postgres/installations.ts';
import { Member } from './member.ts';
import type { Shim } from './shim.ts';
import { SmallDisk } from './small-disk.ts';

type Settings = Readonly<Record<string, string>>;

export interface DatabaseOptions {
  readonly folder: string;
  readonly shim: Shim | null;
  /** Its data, or its write-ahead log alone, on a disk that can be filled. */
  readonly hasSmallDisk: boolean | 'wal';
  readonly megabytes?: number;
  readonly settings?: Settings;
}

const SETTINGS: Settings = {
  listen_addresses: '',
  max_connections: '60',
  shared_buffers: '64MB',
  max_wal_size: '128MB',
  min_wal_size: '32MB',
  timezone: 'UTC',
};

export class FleetDatabase {
  readonly label: string;
  readonly member: Member;
  readonly shim: Shim | null;
  readonly disk: SmallDisk | null;
  readonly socket: { readonly path: string };
  readonly #folder: string;

  private constructor(
    parts: Pick<FleetDatabase, 'label' | 'member' | 'shim' | 'disk'>,
    at: string,
  ) {
    this.label = parts.label;
    this.member = parts.member;
    this.shim = parts.shim;
    this.disk = parts.disk;
    this.#folder = at;
    this.socket = { path: join(at, '.s.PGSQL.5432') };
  }

  /** The newest installation unless told otherwise. */
  static async open(options: DatabaseOptions): Promise<FleetDatabase> {
    const { folder, shim, settings = {} } = options;
    const installation = findInstallations().at(-1);
    if (installation === undefined) throw new Error('no PostgreSQL 15 or newer was found');
    const account = serverAccount();
    const data = join(folder, 'data');
    mkdirSync(data, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o755);
    if (account) for (const path of [folder, data]) chownSync(path, account.uid, account.gid);
    const wal = join(folder, 'wal');
    if (options.hasSmallDisk === 'wal') mkdirSync(wal);
    const mounted = options.hasSmallDisk === 'wal' ? wal : data;
    const disk =
      options.hasSmallDisk === false
        ? null
        : await SmallDisk.open(mounted, { ...account, megabytes: options.megabytes });
    const binaries = reachableBinaries(installation.binFolder, folder, account);
    const command = (program: string, args: readonly string[]): readonly string[] => [
      ...(disk?.entrance ?? []),
      ...lowered(account),
      join(binaries, program),
      ...args,
    ];
    const where = mounted === wal ? ['--waldir', join(wal, 'log')] : [];
    initialize(command('initdb', ['-D', data, ...where, ...INIT]), folder);
    const flags = Object.entries({ ...SETTINGS, ...settings });
    const server = command('postgres', [
      '-D',
      data,
      '-k',
      folder,
      ...flags.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]);
    const member = new Member({
      name: 'database',
      command: () => server,
      env: shim?.env ?? {},
      isReady: (line) => line.includes('ready to accept connections'),
    });
    await member.start();
    const label = `PostgreSQL ${installation.major}`;
    return new FleetDatabase({ label, member, shim, disk }, folder);
  }

  /** Around all lines, for whoever judges or torments. */
  get url(): string {
    return `postgres://postgres@localhost/postgres?host=${encodeURI(this.#folder)}`;
  }

  /** Every process of it at once, as when the machine's memory is out. */
  async kill(): Promise<void> {
    const { pid } = this.member;
    const path = `/proc/${pid}/task/${pid}/children`;
    const children = readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number);
    const gone = this.member.kill();
    for (const child of children) {
      try {
        process.kill(child, 'SIGKILL');
      } catch {
        // It was faster.
      }
    }
    await gone;
    await this.member.start();
  }

  /** In order: sessions are cut, everything is written, and it comes back. */
  async restart(): Promise<void> {
    await this.member.end('SIGINT');
    await this.member.start();
  }

  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(sql, [...values])).rows as Row[];
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    // At once, but with all of its processes.
    await this.member.end('SIGQUIT');
    await this.disk?.close();
    this.shim?.close();
  }
}

const INIT = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];

function initialize([program = '', ...args]: readonly string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
}
