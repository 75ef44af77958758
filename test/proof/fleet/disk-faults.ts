// Faults of disks and clocks, in the hands of one process.
import { statfsSync } from 'node:fs';
import { between, type Fault, pause, pauseUntilFelt, type Scene } from './fault.ts';
import type { Member } from './member.ts';
import type { Shim } from './shim.ts';
import type { SmallDisk } from './small-disk.ts';
import { isBack } from './store-faults.ts';
import type { Post } from './world.ts';

const MINUTE_MS = 60_000;

interface Keeper {
  readonly member: Member;
  readonly shim: Shim | null;
  readonly disk: SmallDisk | null;
}

/** Whoever writes to the disk: the database, or the server that owns the file. */
function keeperOf({ world }: Scene): Keeper {
  const { database, disk, servers } = world;
  return database ?? { ...servers[0]!, disk };
}

/** Such a fault may end the process; its supervisor starts it again. */
function ofDisk(
  kind: string,
  act: (keeper: Keeper, scene: Scene) => Promise<boolean>,
  needs: 'shim' | 'disk',
): Fault {
  return {
    kind,
    plan: (scene) => {
      const keeper = keeperOf(scene);
      if (keeper[needs] === null) return null;
      const { member } = keeper;
      const whole = async (): Promise<boolean> => {
        member.mayEnd = true;
        const isFelt = await act(keeper, scene);
        if (!member.isUp) await member.start();
        if (scene.world.database !== null) await isBack(scene.world.database);
        member.mayEnd = false;
        return isFelt;
      };
      return { victims: [member.name], act: whole };
    },
  };
}

async function fillDisk({ disk }: Keeper, { random }: Scene): Promise<boolean> {
  await disk!.fill();
  const isFull = statfsSync(disk!.folder).bavail < 256;
  await pause(between(random, 800, 2_000));
  disk!.free();
  return isFull;
}

async function slowSyncs({ shim }: Keeper, { random }: Scene): Promise<boolean> {
  const before = shim!.get('delayed');
  shim!.set('syncDelayMs', between(random, 50, 300));
  await pause(between(random, 1_000, 2_500));
  shim!.set('syncDelayMs', 0);
  return shim!.get('delayed') > before;
}

async function failSyncs({ shim }: Keeper, { random }: Scene): Promise<boolean> {
  const before = shim!.get('failed');
  shim!.set('syncFailures', 1 + random.below(3));
  const isFelt = await pauseUntilFelt(0, () => shim!.get('failed') > before);
  shim!.set('syncFailures', 0);
  return isFelt;
}

function shiftClock(kind: string, sign: 1 | -1, choose: (scene: Scene) => readonly Post[]): Fault {
  return {
    kind,
    plan: (scene) => {
      // The clock of the server that owns a SQLite file is the store's, which is another fault.
      const posts = choose(scene).filter(
        ({ member, shim }) => shim !== null && !isStoresClock(scene, member),
      );
      if (posts.length === 0) return null;
      const { member, shim } = scene.random.pick(posts);
      const act = async (): Promise<boolean> => {
        const before = shim!.get('shifted');
        shim!.set('clockMs', sign * between(scene.random, 2 * MINUTE_MS, 60 * MINUTE_MS));
        const ms = between(scene.random, 1_000, 2_500);
        const isFelt = await pauseUntilFelt(ms, () => shim!.get('shifted') > before);
        shim!.set('clockMs', 0);
        return isFelt;
      };
      return { victims: [`the clock of ${member.name}`], act };
    },
  };
}

function isStoresClock({ world }: Scene, member: Member): boolean {
  return world.database === null && world.servers.some((post) => post.member === member);
}

export const DISK_FAULTS: readonly Fault[] = [
  ofDisk('the disk is full', fillDisk, 'disk'),
  ofDisk('syncs are slow', slowSyncs, 'shim'),
  ofDisk('syncs fail', failSyncs, 'shim'),
];

export const CLOCK_FAULTS: readonly Fault[] = [
  shiftClock("a worker's clock minutes ahead", 1, ({ world }) => world.workers),
  shiftClock("a worker's clock minutes behind", -1, ({ world }) => world.workers),
  shiftClock("a server's clock minutes ahead", 1, ({ world }) => world.servers),
  shiftClock("a server's clock minutes behind", -1, ({ world }) => world.servers),
  {
    kind: "the store's clock jumps ahead, for good",
    plan: (scene) => {
      const { shim, member } = keeperOf(scene);
      if (shim === null) return null;
      const act = async (): Promise<boolean> => {
        const ms = shim.get('clockMs') + between(scene.random, 3_000, MINUTE_MS);
        shim.set('clockMs', ms);
        await pause(500);
        return shim.get('shifted') > 0;
      };
      return { victims: [`the clock of ${member.name}`], act };
    },
  },
];
