// A network of its own for a drill, in which single machines can be cut off.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import type { Host } from '../../../scripts/cluster/plan.ts';
import { eventually } from '../../support/eventually.ts';

const UNSHARE = 'unshare';
const IP = 'ip';
const INSIDE = 'PAWL_PROOF_NETWORK';
const NAMESPACES = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** The shell stays: somebody must wait for processes whose parents are gone. */
const BEGIN = 'ip link set lo up && ip link add pawl0 type bridge && ip link set pawl0 up && "$@"';

/** Why machines cannot be cut off here; null where they can. */
export function whyNoNetwork(): string | null {
  if (process.platform !== 'linux') return 'partitions need network namespaces of Linux';
  if (process.getuid?.() !== 0) return 'partitions need root: network namespaces';
  const tried = spawnSync(UNSHARE, [...NAMESPACES, 'sh', '-c', BEGIN, 'sh', 'true']);
  return tried.status === 0 ? null : 'partitions need network namespaces with ip and unshare';
}

export function isInOwnNetwork(): boolean {
  return process.env[INSIDE] === 'own';
}

/** Runs this same command in a network and with process numbers of its own, to its end. */
export async function continueInOwnNetwork(): Promise<never> {
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const child = spawn(UNSHARE, [...NAMESPACES, 'sh', '-c', BEGIN, 'sh', ...command], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: 'own' },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exit(code ?? 1);
}

function ip(...args: readonly string[]): void {
  execFileSync(IP, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** A machine with a cable to the switch that can be pulled. */
export class CutHost implements Host {
  readonly address: string;
  readonly entrance: readonly string[];
  readonly #cable: string;
  readonly #holder: ChildProcess;

  private constructor(index: number, holder: ChildProcess) {
    this.address = `10.77.0.${index + 1}`;
    this.entrance = ['nsenter', '-t', String(holder.pid), '-n', '--'];
    this.#cable = `pawl${index}`;
    this.#holder = holder;
  }

  static async open(index: number): Promise<CutHost> {
    const holder = spawn(UNSHARE, ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
    const host = new CutHost(index, holder);
    await eventually('a network namespace', () => {
      const nameOf = (pid: string): string => readlinkSync(`/proc/${pid}/ns/net`);
      return nameOf('self') !== nameOf(String(holder.pid));
    });
    host.#plugIn();
    return host;
  }

  #plugIn(): void {
    const inside = (...args: readonly string[]): void => {
      const [program, ...rest] = [...this.entrance, 'ip', ...args];
      execFileSync(program!, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
    };
    const pid = String(this.#holder.pid);
    ip('link', 'add', this.#cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid);
    ip('link', 'set', this.#cable, 'master', 'pawl0', 'up');
    inside('addr', 'add', `${this.address}/24`, 'dev', 'eth0');
    inside('link', 'set', 'eth0', 'up');
    inside('link', 'set', 'lo', 'up');
  }

  cut(): void {
    ip('link', 'set', this.#cable, 'down');
  }

  heal(): void {
    ip('link', 'set', this.#cable, 'up');
  }

  close(): void {
    this.#holder.kill('SIGKILL');
  }
}

/** Machines at 10.77.0.2 and on; this process is at 10.77.0.1. */
export async function openHosts(count: number): Promise<readonly CutHost[]> {
  ip('addr', 'add', '10.77.0.1/24', 'dev', 'pawl0');
  const hosts: CutHost[] = [];
  for (let index = 1; index <= count; index++) hosts.push(await CutHost.open(index));
  return hosts;
}
