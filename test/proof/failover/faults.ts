// What is done to a cluster. Each waits for what must come of it, and heals what it did.
import type { ClusterNode } from '../../../scripts/cluster/node.ts';
import { pause } from '../fleet/fault.ts';
import type { FailoverWorld } from './world.ts';

export interface Scene {
  readonly world: FailoverWorld;
  /** The node that is the primary, and its timeline. */
  readonly leader: ClusterNode;
  readonly timeline: number;
}

export interface Fault {
  readonly name: string;
  /** Whether another node must take over. */
  readonly isFailover: boolean;
  readonly needsNetwork?: boolean;
  /** Nobody ends the former primary, as a watchdog would: who asks it meanwhile reads the past. */
  readonly isUnguarded?: boolean;
  readonly act: (scene: Scene) => Promise<void>;
}

/** So long somebody who comes back is still away after another has taken over. */
const AWAY_MS = 6_000;
/** A process that stands still may do so for less than a lock lives. */
const STILL_MS = 45_000;

/** Resolves when another node is the primary, and a while later. */
async function takenOver({ world, timeline }: Scene): Promise<void> {
  await world.cluster.successor(timeline);
  await pause(AWAY_MS);
}

function standbyOf({ world, leader }: Scene, role: string): Promise<ClusterNode> {
  return world.cluster.state().then((members) => {
    const found = members.find((one) => one.role === role)?.name;
    return world.cluster.nodes.find(({ name }) => name === found && name !== leader.name)!;
  });
}

async function killNode(node: ClusterNode): Promise<void> {
  await node.patroni.kill();
  node.signal('SIGKILL');
}

const KILLS: readonly Fault[] = [
  {
    name: 'kill -9 of the postmaster',
    isFailover: true,
    act: async (scene) => {
      const pid = scene.leader.postmaster;
      if (pid !== null) scene.leader.signal('SIGKILL', [pid]);
      await takenOver(scene);
    },
  },
  {
    name: 'kill -9 of the node, which comes back',
    isFailover: true,
    act: async (scene) => {
      await killNode(scene.leader);
      await takenOver(scene);
      await scene.leader.patroni.start();
    },
  },
  {
    name: 'kill -9 of Patroni',
    isFailover: true,
    isUnguarded: true,
    act: async (scene) => {
      await scene.leader.patroni.kill();
      await takenOver(scene);
      await scene.leader.patroni.start();
    },
  },
  {
    name: 'kill -9 of the synchronous standby',
    isFailover: false,
    act: async (scene) => {
      const standby = await standbyOf(scene, 'sync_standby');
      await killNode(standby);
      await pause(2 * AWAY_MS);
      await standby.patroni.start();
    },
  },
  {
    name: 'kill -9 of an etcd member',
    isFailover: false,
    act: async ({ leader }) => {
      await leader.etcd.kill();
      await pause(2 * AWAY_MS);
      await leader.etcd.start();
    },
  },
  ...(['haproxy', 'pgbouncer'] as const).map((proxy): Fault => ({
    name: `kill -9 of ${proxy === 'haproxy' ? 'HAProxy' : 'PgBouncer'}`,
    isFailover: false,
    act: async ({ world }) => {
      await world.cluster[proxy].kill();
      await pause(AWAY_MS / 2);
      await world.cluster[proxy].start();
    },
  })),
];

/** Stands still until another has taken over; what never makes one is let go after a while. */
async function freeze(scene: Scene, stop: (signal: NodeJS.Signals) => void): Promise<void> {
  stop('SIGSTOP');
  try {
    await takenOver(scene);
  } finally {
    stop('SIGCONT');
  }
}

const FREEZES: readonly Fault[] = [
  {
    name: 'frozen PostgreSQL',
    isFailover: false,
    isUnguarded: true,
    act: async ({ world, leader, timeline }) => {
      const pids = leader.processes;
      leader.signal('SIGSTOP', pids);
      // Patroni may wait for a server that is there and says nothing.
      await world.cluster.successor(timeline, STILL_MS).catch(() => undefined);
      leader.signal('SIGCONT', pids);
    },
  },
  {
    name: 'frozen Patroni',
    isFailover: true,
    isUnguarded: true,
    act: (scene) => freeze(scene, (signal) => scene.leader.patroni.signal(signal)),
  },
  {
    name: 'frozen node, which comes back',
    isFailover: true,
    isUnguarded: true,
    act: (scene) => {
      const { leader } = scene;
      const pids = leader.processes;
      return freeze(scene, (signal) => {
        leader.patroni.signal(signal);
        leader.signal(signal, pids);
      });
    },
  },
  {
    name: 'frozen etcd member',
    isFailover: false,
    act: async ({ leader }) => {
      leader.etcd.signal('SIGSTOP');
      await pause(2 * AWAY_MS);
      leader.etcd.signal('SIGCONT');
    },
  },
  {
    name: 'frozen HAProxy',
    isFailover: false,
    act: async ({ world }) => {
      world.cluster.haproxy.signal('SIGSTOP');
      await pause(AWAY_MS);
      world.cluster.haproxy.signal('SIGCONT');
    },
  },
];

const SWITCHOVER: Fault = {
  name: 'switchover',
  isFailover: true,
  act: async ({ world, timeline }) => {
    await world.cluster.switchover();
    await world.cluster.successor(timeline);
  },
};

const PARTITIONS: readonly Fault[] = [
  {
    name: 'the primary is cut off',
    isFailover: true,
    needsNetwork: true,
    act: async (scene) => {
      const host = hostOf(scene, scene.leader);
      host.cut();
      try {
        await takenOver(scene);
      } finally {
        host.heal();
      }
    },
  },
  {
    name: 'the synchronous standby is cut off',
    isFailover: false,
    needsNetwork: true,
    act: async (scene) => {
      const host = hostOf(scene, await standbyOf(scene, 'sync_standby'));
      host.cut();
      await pause(4 * AWAY_MS);
      host.heal();
    },
  },
];

function hostOf({ world }: Scene, node: ClusterNode) {
  return world.hosts![world.cluster.nodes.indexOf(node)]!;
}

/** Where a commit waits for no standby, what was not sent is gone with its server. */
const LATE_SENDER: Fault = {
  name: 'frozen senders, then kill -9 of the node',
  isFailover: true,
  act: async (scene) => {
    const { leader } = scene;
    leader.signal('SIGSTOP', leader.senders);
    await pause(AWAY_MS / 2);
    await killNode(leader);
    await takenOver(scene);
    await leader.patroni.start();
  },
};

/** In the order in which they are done. */
export const STRICT_FAULTS: readonly Fault[] = [
  KILLS[0]!,
  SWITCHOVER,
  ...PARTITIONS,
  ...KILLS.slice(1),
  ...FREEZES,
];

export const ASYNCHRONOUS_FAULTS: readonly Fault[] = [LATE_SENDER, SWITCHOVER, KILLS[0]!];
