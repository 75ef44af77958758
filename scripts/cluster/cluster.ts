// Three etcd, three PostgreSQL under Patroni, HAProxy and PgBouncer, on one machine.
import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../test/support/eventually.ts';
import { serverAccount } from '../../test/support/postgres/account.ts';
import type { Member } from '../../test/proof/fleet/member.ts';
import { ClusterNode, makeFolder, memberOf } from './node.ts';
import { type Mode, MODES } from './patroni.ts';
import { at, type ClusterPlan, type Host, planCluster } from './plan.ts';
import type { Programs } from './programs.ts';
import { haproxySettings, PGBOUNCER_USERS, pgbouncerSettings } from './proxies.ts';

/** Enough for a busy machine: initdb and two copies of it. */
const START_MS = 240_000;
const HEALTH_MS = 180_000;
const LOOK_MS = 500;

/** What etcd and Patroni know of a node. */
export interface MemberState {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

export interface ClusterOptions {
  readonly programs: Programs;
  readonly mode?: Mode;
  readonly hosts?: readonly Host[];
}

/** Ends what is left and removes it when this process is gone, however it went. */
const KEEPER = `cat > /dev/null
for file in "$1"/node*/data/postmaster.pid; do
  pid=$(head -n 1 "$file") && kill -9 $(cat /proc/$pid/task/$pid/children) $pid
done
rm -rf "$1"`;

export class PatroniCluster {
  readonly plan: ClusterPlan;
  readonly nodes: readonly ClusterNode[];
  readonly haproxy: Member;
  readonly pgbouncer: Member;
  mode: Mode;
  readonly #keeper: ReturnType<typeof spawn>;

  private constructor(plan: ClusterPlan, { programs, mode = 'strict' }: ClusterOptions) {
    this.plan = plan;
    this.mode = mode;
    this.#keeper = spawn('sh', ['-c', KEEPER, 'sh', plan.folder], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    const account = serverAccount();
    for (const { folder } of plan.nodes) makeFolder(folder);
    const proxies = join(plan.folder, 'proxies');
    makeFolder(proxies);
    const files = {
      'haproxy.cfg': haproxySettings(plan),
      'pgbouncer.ini': pgbouncerSettings(plan),
      'pgbouncer.users': PGBOUNCER_USERS,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(plan.folder, name), text);
    if (account !== undefined) {
      const folders = [plan.folder, proxies, ...plan.nodes.map(({ folder }) => folder)];
      for (const folder of folders) chownSync(folder, account.uid, account.gid);
    }
    this.nodes = plan.nodes.map(
      (node) => new ClusterNode({ plan: node, cluster: plan, programs, mode }),
    );
    const proxy = (name: string, command: readonly string[]): Member =>
      memberOf({ name, host: plan.front, folder: proxies, command });
    const haproxy = [programs.haproxy, '-V', '-db', '-f', join(plan.folder, 'haproxy.cfg')];
    this.haproxy = proxy('haproxy', haproxy);
    const pgbouncer = [programs.pgbouncer, join(plan.folder, 'pgbouncer.ini')];
    this.pgbouncer = proxy('pgbouncer', pgbouncer);
  }

  /** Its folder and its settings; nothing runs yet. */
  static async prepare(options: ClusterOptions): Promise<PatroniCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-cluster-'));
    return new PatroniCluster(await planCluster(folder, options.hosts), options);
  }

  /** Resolves when all follow one leader; fails when they do not in time. */
  async start(say: (line: string) => void = () => undefined): Promise<void> {
    say(`three etcd (everything is in ${this.plan.folder})`);
    await Promise.all(this.nodes.map(({ etcd }) => etcd.start()));
    say('PostgreSQL under Patroni');
    for (const { patroni } of this.nodes) await patroni.start();
    await this.healthy(START_MS);
    say('HAProxy and PgBouncer');
    await Promise.all([this.haproxy.start(), this.pgbouncer.start()]);
  }

  /** What most of the nodes that answer say; empty when none does. */
  async state(): Promise<readonly MemberState[]> {
    const answers = await Promise.all(this.nodes.map((node) => node.ask('/cluster')));
    const states = answers.flatMap((answer) => {
      return answer?.status === 200
        ? [(JSON.parse(answer.text) as { members: MemberState[] }).members]
        : [];
    });
    // One that is cut off tells what it knew last: who knows the latest timeline is right.
    const latest = (members: readonly MemberState[]): number =>
      Math.max(0, ...members.map(({ timeline = 0 }) => timeline));
    return states.toSorted((a, b) => latest(b) - latest(a))[0] ?? [];
  }

  /** The node that has the lock, and says itself that it is the primary. */
  async leader(): Promise<{ node: ClusterNode; timeline: number } | null> {
    const found = (await this.state()).find(({ role }) => role === 'leader');
    const node = this.nodes.find(({ name }) => name === found?.name);
    if (node === undefined || (await node.ask('/primary'))?.status !== 200) return null;
    return { node, timeline: found?.timeline ?? 0 };
  }

  /** One leader whom everybody follows; in strict mode also a synchronous standby. */
  async healthy(timeoutMs: number = HEALTH_MS): Promise<{ node: ClusterNode; timeline: number }> {
    return eventually(
      'a leader whom all nodes follow',
      async () => {
        const members = await this.state();
        const standbys = members.filter(({ role }) => role === 'sync_standby').length;
        const timelines = new Set(members.map(({ timeline }) => timeline));
        const isWhole =
          members.length === this.nodes.length &&
          members.every(({ role, state }) => {
            return state === (role === 'leader' ? 'running' : 'streaming');
          });
        if (!isWhole || timelines.size !== 1 || (this.mode === 'strict') !== standbys > 0) {
          return null;
        }
        return this.leader();
      },
      { timeoutMs, everyMs: LOOK_MS },
    );
  }

  /** Another leader than the one of this timeline. */
  async successor(timeline: number, timeoutMs: number = HEALTH_MS) {
    return eventually(
      `a leader after timeline ${timeline}`,
      async () => {
        const found = await this.leader();
        return found !== null && found.timeline > timeline ? found : null;
      },
      { timeoutMs, everyMs: LOOK_MS },
    );
  }

  async changeMode(mode: Mode): Promise<void> {
    const { node } = await this.healthy();
    const answer = await node.ask('/config', {
      method: 'PATCH',
      body: JSON.stringify(MODES[mode]),
    });
    if (answer?.status !== 200) throw new Error(`the mode was not changed: ${answer?.text}`);
    this.mode = mode;
    await this.healthy();
  }

  /** In order, to a standby of Patroni's choice. */
  async switchover(): Promise<void> {
    const { node } = await this.healthy();
    const order = { method: 'POST', body: JSON.stringify({ leader: node.name }) };
    const answer = await node.ask('/switchover', order);
    if (answer === null || answer.status >= 300) {
      throw new Error(`the switchover was refused: ${answer?.text ?? 'no answer'}`);
    }
  }

  /** Addresses by the way that they take to the primary. */
  get urls(): Readonly<Record<'haproxy' | 'pgbouncer' | 'hosts' | 'replicas', string>> {
    const { nodes, front, ports } = this.plan;
    const behind = (port: number): string =>
      `postgres://postgres@${front.address}:${port}/postgres`;
    const hosts = nodes.map((node) => at(node, 'postgres')).join();
    return {
      haproxy: behind(ports.primary),
      pgbouncer: behind(ports.pgbouncer),
      hosts: `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`,
      replicas: behind(ports.replicas),
    };
  }

  async close(): Promise<void> {
    const members = this.nodes.flatMap(({ patroni, etcd }) => [patroni, etcd]);
    await Promise.all([this.haproxy, this.pgbouncer, ...members].map((member) => member.kill()));
    for (const node of this.nodes) node.signal('SIGKILL');
    rmSync(this.plan.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    this.#keeper.stdin?.end();
  }
}
