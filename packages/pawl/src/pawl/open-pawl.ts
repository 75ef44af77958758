import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Pool } from 'pg';
import type { ArtifactStore } from '../artifact/artifact-store.ts';
import { openFolderArtifacts } from '../artifact/folder.ts';
import { openMemoryArtifacts } from '../artifact/memory.ts';
import type { PayloadCodec } from '../codec/payload-codec.ts';
import { systemClock } from '../core/clock.ts';
import { type Fault, invalid } from '../core/errors.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { EngineLog } from '../engine/context.ts';
import { definitionsIn, type JobDefinition } from '../handler/define-job.ts';
import type { JobType } from '../handler/job-type.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import type { Plugin } from '../plugin/plugin.ts';
import { withoutSqlite } from '../store/missing-sqlite.ts';
import type { Store } from '../store/store.ts';
import { nodeFault } from '../worker/node-version.ts';
import { Pawl } from './pawl.ts';
import { checkPublicUrl, type LinkSettings, openLinks } from './links.ts';
import { type RetentionOption, retentionOf } from './retention-option.ts';
import type { Environment } from './surround.ts';
import { engineLogOf, type UserLog } from './user-log.ts';

/** A `pg.Pool`, by what is looked at before it is used. */
export interface PostgresPool {
  connect(): Promise<unknown>;
  readonly totalCount: number;
}

/** Options of `openPawl`. */
export interface PawlOptions extends Environment, LinkSettings {
  /**
   * A PostgreSQL URL, the path of a SQLite file, or `:memory:` to store nothing on disk; default:
   * the file `data/pawl.db`.
   */
  readonly database?: string;
  /**
   * Several databases instead of one, each with some of the tenants, by name: PostgreSQL URLs or
   * paths of SQLite files. The first one also keeps what belongs to no tenant.
   */
  readonly cells?: Readonly<Record<string, string>>;
  /** Your own `pg.Pool` instead of `database`; Pawl does not end it. */
  readonly pool?: PostgresPool;
  /** URL of the PostgreSQL server itself, for LISTEN, if `database` or `pool` leads to a pooler. */
  readonly directUrl?: string;
  /** A standby that may answer lists and histories which are asked for over HTTP. */
  readonly replicaUrl?: string;
  /** The schema of Pawl's tables on PostgreSQL; default: `pawl`. */
  readonly schema?: string;
  /** `check` refuses to open a PostgreSQL schema with pending migrations; default: `auto`. */
  readonly migrate?: 'auto' | 'check';
  /**
   * The jobs of this program: defined ones are registered and can be run, declared ones can be
   * enqueued.
   */
  readonly jobs: readonly JobType[];
  /** Plug-ins with their own jobs, lifecycles, followers and duties. */
  readonly plugins?: readonly Plugin[];
  /** The tenant of enqueued jobs; default: `default`. */
  readonly tenant?: string;
  /** How long ended jobs, notes and dead letters are kept. */
  readonly retention?: RetentionOption;
  /** A folder, or another place, for artifacts; by default a folder beside the SQLite file. */
  readonly artifacts?: string | ArtifactStore;
  /** Encrypts payloads before they are stored: `aesCodec` of `pawl/codec`. */
  readonly codec?: PayloadCodec;
  /** A logger for warnings and errors, such as a pino instance, or false; default: the console. */
  readonly log?: UserLog | false;
}

/** Opens the database, migrates its schema if needed, and registers the jobs. */
export async function openPawl(options: PawlOptions): Promise<Pawl> {
  const fault = nodeFault();
  if (fault !== null) throw new Error(fault);
  checkOptions(options);
  const { tenant = 'default', log = console, codec = null, retention = {} } = options;
  const jobs = definitionsIn(options.jobs);
  const { plugins = [] } = options;
  const own = [
    ...jobs.map(({ lifecycle }) => lifecycle),
    ...plugins.flatMap((plugin) => plugin.lifecycles ?? []),
  ];
  const lifecycles = [...new Set([...builtInLifecycles, ...own])];
  const environment = {
    ...(options.context === undefined ? {} : { context: options.context }),
    ...(options.around === undefined ? {} : { around: options.around }),
  };
  const kept = retentionOf(retention);
  const store = await openStore(options, lifecycles);
  try {
    const files = await openFiles(options);
    const dataFolder = folderOf(options);
    const links = await openLinks(options, dataFolder);
    const setup = { store, files, codec, links, jobs, lifecycles, tenant, retention: kept };
    const engineLog = engineLogOf(log);
    const pawl = new Pawl({ ...setup, log: engineLog, ...environment });
    const joined = await joinThem(pawl, plugins, { jobs, log: engineLog, dataFolder });
    await pawl.start();
    await joined?.begin();
    return pawl;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Programs without plug-ins do not load what plug-ins need. */
async function joinThem(
  pawl: Pawl,
  plugins: readonly Plugin[],
  options: { jobs: readonly JobDefinition[]; log: EngineLog; dataFolder: string },
): Promise<{ begin(): Promise<void> } | null> {
  if (plugins.length === 0) return null;
  const { joinPlugins } = await import('../plugin/library-host.ts');
  return joinPlugins(pawl, plugins, options);
}

/** Beside the SQLite file. */
function folderOf(options: PawlOptions): string {
  const { database = DATABASE } = options;
  return isPostgres(options) || database === ':memory:' ? 'data' : dirname(database);
}

const DATABASE = 'data/pawl.db';

function isPostgres({ database = DATABASE, pool, cells }: PawlOptions): boolean {
  const places = cells === undefined ? [database] : Object.values(cells);
  return pool !== undefined || places.every((place) => /^postgres(ql)?:\/\//.test(place));
}

function checkOptions(options: PawlOptions): void {
  const { database, pool, directUrl, replicaUrl, schema, migrate } = options;
  const faults: Fault[] = checkPublicUrl(options);
  if (database !== undefined && pool !== undefined) {
    faults.push({
      pointer: '/pool',
      message: 'must be left out beside `database`: give one of them',
    });
  }
  if (pool !== undefined && !('totalCount' in pool && typeof pool.connect === 'function')) {
    faults.push({ pointer: '/pool', message: 'must be a `pg.Pool`' });
  }
  faults.push(...databaseFaults(options));
  const only = 'is for PostgreSQL alone: leave it out, or give a PostgreSQL URL as `database`';
  for (const [name, value] of Object.entries({ directUrl, replicaUrl, schema, migrate })) {
    if (value !== undefined && !isPostgres(options))
      faults.push({ pointer: `/${name}`, message: only });
  }
  if (migrate !== undefined && !['auto', 'check'].includes(migrate)) {
    faults.push({ pointer: '/migrate', message: 'must be "auto" or "check"' });
  }
  if (faults.length > 0) throw invalid(faults);
}

function databaseFaults(options: PawlOptions): Fault[] {
  const { cells, ...others } = options;
  if (cells === undefined) {
    const fault = databaseFault(options);
    return fault === null ? [] : [{ pointer: '/database', message: fault }];
  }
  const faults: Fault[] = [];
  for (const name of ['database', 'pool', 'directUrl', 'replicaUrl'] as const) {
    if (others[name] === undefined) continue;
    faults.push({
      pointer: `/${name}`,
      message: 'is for one database: leave it out beside `cells`',
    });
  }
  for (const [name, database] of Object.entries(cells)) {
    const fault = databaseFault({ ...others, database });
    if (fault !== null) faults.push({ pointer: `/cells/${name}`, message: fault });
  }
  return faults;
}

/** SQLite would make a file of the first, and blame the disk for the second. */
function databaseFault(options: PawlOptions): string | null {
  const { database = DATABASE } = options;
  if (isPostgres(options)) return null;
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(database) ?? [];
  if (scheme !== undefined) {
    return `begins with ${scheme}://: give a postgres:// URL, or a path of a SQLite file`;
  }
  if (statSync(database, { throwIfNoEntry: false })?.isDirectory() !== true) return null;
  return `is a folder: name a file in it, such as ${join(database, 'pawl.db')}`;
}

async function openStore(options: PawlOptions, lifecycles: readonly Lifecycle[]): Promise<Store> {
  const { cells, ...rest } = options;
  if (cells === undefined) return openDatabase(options, lifecycles);
  const { openCells } = await import('../store/cells/store.ts');
  const sources = Object.entries(cells).map(([name, database]) => ({
    name,
    open: () => openDatabase({ ...rest, database }, lifecycles),
  }));
  return openCells({ cells: sources });
}

async function openDatabase(
  options: PawlOptions,
  lifecycles: readonly Lifecycle[],
): Promise<Store> {
  const { database = DATABASE, pool, directUrl, replicaUrl, schema, migrate } = options;
  if (!isPostgres(options)) return openSqlite(database, lifecycles);
  // Only now: those who use SQLite need not install the driver.
  const { openPostgresStore } = await import('../store/postgres/store.ts');
  return openPostgresStore({
    ...(pool === undefined ? { url: database } : { pool: pool as Pool }),
    directUrl,
    replicaUrl,
    schema,
    migrate: migrate === 'check' ? 'check' : 'apply',
    lifecycles,
  });
}

async function openSqlite(path: string, lifecycles: readonly Lifecycle[]): Promise<Store> {
  if (path !== ':memory:') await mkdir(dirname(path), { recursive: true });
  // Only now: those who use PostgreSQL may have a Node that was built without it.
  const { openSqliteStore } = await import('../store/sqlite/store.ts').catch(withoutSqlite);
  return openSqliteStore({ path, lifecycles });
}

async function openFiles(options: PawlOptions): Promise<ArtifactStore | null> {
  const { artifacts, database = DATABASE } = options;
  if (typeof artifacts === 'object') return artifacts;
  if (artifacts !== undefined) return openFolderArtifacts({ folder: artifacts });
  if (isPostgres(options)) return null;
  if (database === ':memory:') return openMemoryArtifacts(systemClock);
  return openFolderArtifacts({ folder: join(dirname(database), 'artifacts') });
}
