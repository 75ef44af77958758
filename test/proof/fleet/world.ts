// A platform of real processes with a line between every two of them.
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { openSqliteStore } from 'pawl/internal/store/sqlite/store';
import type { Store } from 'pawl/internal/store/store';
import { FleetDatabase } from './database.ts';
import { Link } from './link.ts';
import { Member } from './member.ts';
import { freePort } from '../../support/free-port.ts';
import { programOf, type Release } from './release.ts';
import { buildShim, Shim } from './shim.ts';
import { SmallDisk, whyNoSmallDisk } from './small-disk.ts';

const SERVER = new URL('../../../packages/pawl/src/cli/main.ts', import.meta.url);
const WORKER = new URL('worker.ts', import.meta.url);
const JOBS = new URL('jobs.ts', import.meta.url);

export interface WorldOptions {
  readonly store: 'postgres' | 'sqlite';
  readonly servers: number;
  /** Workers on the database itself; a SQLite file has none. */
  readonly workers: number;
  readonly remoteWorkers: number;
  /** The one at hand first, then others that take its place now and then. */
  readonly releases: readonly Release[];
  readonly settings?: Readonly<Record<string, string>>;
  /** A mistake for the workers to make. */
  readonly plant?: string;
}

/** A process, the release that it runs next, and its hidden clock. */
export interface Post {
  readonly member: Member;
  readonly shim: Shim | null;
  release: Release;
}

export class World {
  readonly label: string;
  readonly folder: string;
  readonly ledger: string;
  readonly servers: Post[] = [];
  readonly workers: Post[] = [];
  readonly clientLinks: Link[] = [];
  readonly workerLinks: Link[] = [];
  readonly storeLinks: Link[] = [];
  readonly clientUrls: string[] = [];
  readonly options: WorldOptions;
  /** Null: this world stores in a SQLite file. */
  database: FleetDatabase | null = null;
  /** The disk of the SQLite file. */
  disk: SmallDisk | null = null;
  /** What cannot be done here, and why. */
  readonly skipped: string[] = [];
  readonly #library: string | null;

  private constructor(options: WorldOptions) {
    this.options = options;
    this.label = options.store;
    this.folder = mkdtempSync(join(tmpdir(), 'pawl-fleet-'));
    // The database runs as somebody else.
    chmodSync(this.folder, 0o755);
    this.ledger = join(this.folder, 'ledger.jsonl');
    const built = buildShim(this.folder);
    this.#library = 'library' in built ? built.library : null;
    if ('reason' in built) this.skipped.push(built.reason);
  }

  static async open(options: WorldOptions): Promise<World> {
    const world = new World(options);
    try {
      await world.#openStore();
      await world.#openServers();
      await world.#openWorkers();
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  get posts(): readonly Post[] {
    return [...this.servers, ...this.workers];
  }

  get data(): string {
    return join(this.folder, 'platform');
  }

  /** Everything as it should be, whatever was done to it. */
  async heal(): Promise<void> {
    for (const link of this.links) link.trouble = null;
    for (const { member } of this.posts) member.signal('SIGCONT');
    this.disk?.free();
    this.database?.disk?.free();
    await Promise.all(this.posts.map((post) => this.#rollForward(post)));
  }

  /** What is judged in the end is the release at hand. */
  async #rollForward(post: Post): Promise<void> {
    const { member } = post;
    const [current] = this.options.releases;
    if (post.release !== current) {
      await member.end();
      post.release = current!;
    }
    if (!member.isUp) await member.start();
  }

  get links(): readonly Link[] {
    return [...this.clientLinks, ...this.workerLinks, ...this.storeLinks];
  }

  /** The file of a SQLite platform can be opened once its owner has left. */
  async openStore(): Promise<Store> {
    if (this.database !== null) return openPostgresStore({ url: this.database.url, lifecycles });
    await Promise.all(this.posts.map(({ member }) => member.end()));
    // SQLite would follow the way into the namespace back to a file of our own: it is brought out.
    if (this.disk !== null) cpSync(this.disk.folder, this.data, { recursive: true });
    return openSqliteStore({ path: join(this.data, 'pawl.db'), lifecycles });
  }

  async close(): Promise<void> {
    await Promise.all(this.posts.map(({ member }) => member.kill()));
    await Promise.all(this.links.map((link) => link.close()));
    await this.database?.close();
    await this.disk?.close();
    for (const { shim } of this.posts) shim?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #openStore(): Promise<void> {
    const reason = whyNoSmallDisk();
    if (reason !== null) this.skipped.push(reason);
    const { store, settings } = this.options;
    mkdirSync(this.data);
    if (store === 'sqlite') {
      this.disk = reason === null ? await SmallDisk.open(this.data, { megabytes: 200 }) : null;
      return;
    }
    this.database = await FleetDatabase.open({
      folder: join(this.folder, 'postgres'),
      shim: this.#shim('database'),
      hasSmallDisk: reason === null,
      ...(settings === undefined ? {} : { settings }),
    });
  }

  async #openServers(): Promise<void> {
    for (let n = 0; n < this.options.servers; n++) {
      const port = await freePort();
      const flags = ['--role', 'api,sweeper', '--port', String(port)];
      const args = ['start', ...flags];
      const post = await this.#post(`server ${n}`, { program: SERVER, args });
      this.servers.push(post);
      await post.member.start();
      const target = { port };
      this.clientUrls.push(await this.#line(this.clientLinks, `clients to server ${n}`, target));
      await this.#line(this.workerLinks, `workers to server ${n}`, target);
    }
  }

  async #openWorkers(): Promise<void> {
    const { workers, remoteWorkers, store } = this.options;
    const direct = store === 'postgres' ? workers : 0;
    const urls = this.workerLinks.map((link) => link.url).join();
    for (let n = 0; n < direct + remoteWorkers; n++) {
      const name = n < direct ? `worker ${n}` : `remote worker ${n}`;
      const where = n < direct ? await this.#storeUrl(name) : urls;
      const args = [name.replaceAll(' ', '-'), where];
      this.workers.push(await this.#post(name, { program: WORKER, args }));
    }
    await Promise.all(this.workers.map(({ member }) => member.start()));
  }

  /** Each process has a line to the database of its own. */
  async #storeUrl(name: string): Promise<string> {
    const link = `${name} to the database`;
    const url = await this.#line(this.storeLinks, link, this.database!.socket);
    // A silent line is to be noticed within the time that a round has.
    return `${url.replace('http://', 'postgres://postgres@')}/postgres?query_timeout=4000`;
  }

  async #post(name: string, run: { program: URL; args: readonly string[] }): Promise<Post> {
    const shim = this.#shim(name);
    const isServer = run.program === SERVER;
    const { plant = '', releases } = this.options;
    const env = {
      NO_COLOR: '1',
      PAWL_DATA: this.data,
      PROOF_LEDGER: this.ledger,
      PROOF_PLANT: plant,
      ...(isServer && this.database !== null ? { DATABASE_URL: await this.#storeUrl(name) } : {}),
      ...shim?.env,
    };
    const entrance = isServer ? (this.disk?.entrance ?? []) : [];
    const command = (): readonly string[] => {
      const { release } = post;
      const file = programOf(release, run.program);
      const jobs = `PAWL_JOBS=${programOf(release, JOBS)}`;
      return [...entrance, 'env', jobs, process.execPath, file, ...run.args];
    };
    const isReady = (line: string): boolean => /(Pawl|the worker) is running/.test(line);
    const isJudged = (): boolean => post.release === releases[0];
    const post: Post = {
      member: new Member({ name, command, env, isReady, isJudged }),
      shim,
      release: releases[0]!,
    };
    return post;
  }

  #shim(name: string): Shim | null {
    if (this.#library === null) return null;
    return new Shim(this.#library, join(this.folder, `${name.replaceAll(' ', '-')}.page`));
  }

  async #line(
    lines: Link[],
    name: string,
    target: { readonly path: string } | { readonly port: number },
  ): Promise<string> {
    const link = new Link(name, target);
    await link.open(await freePort());
    lines.push(link);
    return link.url;
  }
}
