// A platform of real processes before a cluster, each on one of the ways to its primary.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import type { Store } from 'pawl/internal/store/store';
import { PatroniCluster } from '../../../scripts/cluster/cluster.ts';
import type { Mode } from '../../../scripts/cluster/patroni.ts';
import type { Programs } from '../../../scripts/cluster/programs.ts';
import { freePort } from '../../support/free-port.ts';
import { Member } from '../fleet/member.ts';
import type { CutHost } from './network.ts';

const SERVER = fileURLToPath(new URL('../../../packages/pawl/src/cli/main.ts', import.meta.url));
const WORKER = fileURLToPath(new URL('../fleet/worker.ts', import.meta.url));
const JOBS = fileURLToPath(new URL('../fleet/jobs.ts', import.meta.url));

export const ROUTES = ['haproxy', 'pgbouncer', 'hosts'] as const;
export type Route = (typeof ROUTES)[number];

export interface FailoverOptions {
  readonly programs: Programs;
  readonly mode: Mode;
  readonly routes: readonly Route[];
  /** Null: its machines cannot be cut off. */
  readonly hosts: readonly CutHost[] | null;
  readonly say: (line: string) => void;
}

export class FailoverWorld {
  readonly cluster: PatroniCluster;
  readonly hosts: readonly CutHost[] | null;
  readonly ledger: string;
  readonly servers: { readonly route: Route; readonly url: string; readonly member: Member }[] = [];
  readonly workers: { readonly member: Member }[] = [];
  /** What the platform's processes said, in order. */
  readonly lines: string[] = [];
  readonly #folder: string;
  readonly #routes: readonly Route[];

  private constructor(cluster: PatroniCluster, { hosts, routes }: FailoverOptions) {
    this.cluster = cluster;
    this.hosts = hosts;
    this.#routes = routes;
    this.#folder = mkdtempSync(join(tmpdir(), 'pawl-failover-'));
    chmodSync(this.#folder, 0o755);
    mkdirSync(join(this.#folder, 'data'));
    this.ledger = join(this.#folder, 'ledger.jsonl');
  }

  static async open(options: FailoverOptions): Promise<FailoverWorld> {
    const { programs, mode, hosts, say } = options;
    const cluster = await PatroniCluster.prepare({
      programs,
      mode,
      ...(hosts === null ? {} : { hosts }),
    });
    const world = new FailoverWorld(cluster, options);
    try {
      await cluster.start(say);
      for (const route of options.routes) await world.#openServer(route);
      await world.#openWorkers();
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  get posts(): readonly { readonly member: Member }[] {
    return [...this.servers, ...this.workers];
  }

  /** On whatever is the primary now. */
  async openStore(): Promise<Store> {
    const { node } = await this.cluster.healthy();
    return openPostgresStore({ url: node.url, lifecycles });
  }

  async #openServer(route: Route): Promise<void> {
    const port = await freePort();
    const args = ['start', '--role', 'api,sweeper', '--port', String(port)];
    const { urls } = this.cluster;
    // What a pooler cannot carry needs an address of the server itself.
    const direct = route === 'pgbouncer' ? { DATABASE_DIRECT_URL: urls.haproxy } : {};
    const env = { DATABASE_URL: urls[route], ...direct };
    const member = this.#member(`server by ${route}`, [SERVER, ...args], env);
    this.servers.push({ route, url: `http://127.0.0.1:${port}`, member });
    await member.start();
  }

  async #openWorkers(): Promise<void> {
    for (const route of this.#routes.filter((one) => one !== 'haproxy')) {
      const name = `worker-${route}`;
      const member = this.#member(name, [WORKER, name, this.cluster.urls[route]]);
      this.workers.push({ member });
    }
    const urls = this.servers.map(({ url }) => url).join();
    const name = 'remote-worker';
    this.workers.push({ member: this.#member(name, [WORKER, name, urls]) });
    await Promise.all(this.workers.map(({ member }) => member.start()));
  }

  #member(
    name: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Member {
    return new Member({
      name,
      command: () => [process.execPath, ...args],
      env: {
        NO_COLOR: '1',
        PAWL_DATA: join(this.#folder, 'data'),
        PAWL_JOBS: JOBS,
        PROOF_LEDGER: this.ledger,
        PROOF_PLANT: '',
        ...env,
      },
      isReady: (line) => /(Pawl|the worker) is running/.test(line),
      onLine: (line) => void this.lines.push(`${name}: ${line}`),
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.posts.map(({ member }) => member.kill()));
    await this.cluster.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
