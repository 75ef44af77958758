// One machine of a cluster: a member of etcd, Patroni, and the PostgreSQL that Patroni starts.
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Member } from '../../test/proof/fleet/member.ts';
import { lowered, serverAccount } from '../../test/support/postgres/account.ts';
import { type Mode, patroniSettings } from './patroni.ts';
import { at, type ClusterPlan, type Host, type NodePlan } from './plan.ts';
import type { Programs } from './programs.ts';
import { etcdFlags } from './proxies.ts';

/** Kept out of the terminal's group: Ctrl-C is for whoever ends everything in order. */
const APART = ['setsid'];

export interface Run {
  readonly name: string;
  readonly host: Host;
  readonly folder: string;
  readonly command: readonly string[];
  readonly isReady?: (line: string) => boolean;
}

/** A process of the cluster, which is started again if it ends, with its lines in a file. */
export function memberOf({ name, host, folder, command, isReady = () => true }: Run): Member {
  const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
  return new Member({
    name,
    command: () => [...APART, ...host.entrance, ...lowered(serverAccount()), ...command],
    // Patroni prints nothing before its buffer is full otherwise.
    env: { PYTHONUNBUFFERED: '1', LC_ALL: 'C' },
    isReady,
    isJudged: () => false,
    onLine: (line) => void log.write(`${line}\n`),
  });
}

export interface NodeOptions {
  readonly plan: NodePlan;
  readonly cluster: ClusterPlan;
  readonly programs: Programs;
  readonly mode: Mode;
}

export class ClusterNode {
  readonly name: string;
  readonly plan: NodePlan;
  readonly etcd: Member;
  readonly patroni: Member;

  constructor({ plan, cluster, programs, mode }: NodeOptions) {
    const { name, folder, host } = plan;
    this.name = name;
    this.plan = plan;
    const settings = join(folder, 'patroni.yml');
    writeFileSync(settings, patroniSettings(plan, cluster, { mode, ...programs }));
    const here = { host, folder };
    const etcd = [programs.etcd, ...etcdFlags(plan, cluster)];
    this.etcd = memberOf({ name: 'etcd', ...here, command: etcd });
    this.patroni = memberOf({ name: 'patroni', ...here, command: [programs.patroni, settings] });
  }

  /** The address of its own PostgreSQL, around all proxies. */
  get url(): string {
    return `postgres://postgres@${at(this.plan, 'postgres')}/postgres`;
  }

  /** What its Patroni says to a question; null when it says nothing in time. */
  async ask(
    path: string,
    init: RequestInit = {},
  ): Promise<{ status: number; text: string } | null> {
    try {
      const signal = AbortSignal.timeout(init.method === undefined ? 3_000 : 60_000);
      const answer = await fetch(`http://${at(this.plan, 'rest')}${path}`, { signal, ...init });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return null;
    }
  }

  /** Of the postmaster that runs; null without one. */
  get postmaster(): number | null {
    const file = join(this.plan.folder, 'data', 'postmaster.pid');
    if (!existsSync(file)) return null;
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isFinite(pid) && existsSync(`/proc/${pid}`) ? pid : null;
  }

  /** Every process of its PostgreSQL, the postmaster first. */
  get processes(): readonly number[] {
    const pid = this.postmaster;
    if (pid === null) return [];
    try {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
      return [pid, ...children.split(' ').filter(Boolean).map(Number)];
    } catch {
      return [pid];
    }
  }

  /** Those that send the log to standbys. */
  get senders(): readonly number[] {
    return this.processes.filter((pid) => titleOf(pid).includes('walsender'));
  }

  signal(signal: NodeJS.Signals, pids: readonly number[] = this.processes): void {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // It was faster.
      }
    }
  }
}

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
