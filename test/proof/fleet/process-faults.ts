// Faults of processes: killed, stopped and continued, restarted, replaced by another release.
import { between, type Fault, pause, type Scene } from './fault.ts';
import { LEASE_MS } from './jobs.ts';
import type { Post } from './world.ts';

async function killAndStart(posts: readonly Post[]): Promise<boolean> {
  await Promise.all(posts.map(({ member }) => member.kill()));
  await Promise.all(posts.map(({ member }) => member.start()));
  return true;
}

function killOne(kind: string, choose: (scene: Scene) => readonly Post[]): Fault {
  return {
    kind,
    plan: (scene) => {
      const post = scene.random.pick(choose(scene));
      return { victims: [post.member.name], act: () => killAndStart([post]) };
    },
  };
}

/** Longer than a lease, so that it wakes up as somebody who no longer owns anything. */
function stopOne(kind: string, choose: (scene: Scene) => readonly Post[]): Fault {
  return {
    kind,
    plan: (scene) => {
      const { member } = scene.random.pick(choose(scene));
      const act = async (): Promise<boolean> => {
        const { pid } = member;
        member.signal('SIGSTOP');
        await pause(between(scene.random, 1.2 * LEASE_MS, 2 * LEASE_MS));
        member.signal('SIGCONT');
        return member.pid === pid;
      };
      return { victims: [member.name], act };
    },
  };
}

/** In turn, so that in the end all have been through it. */
function nextOf(posts: readonly Post[]): Post {
  return posts.toSorted((a, b) => a.member.starts - b.member.starts)[0]!;
}

export const PROCESS_FAULTS: readonly Fault[] = [
  killOne('kill -9 of a worker', ({ world }) => world.workers),
  killOne('kill -9 of a server', ({ world }) => world.servers),
  {
    kind: 'kill -9 of all servers and workers',
    plan: ({ world }) => ({
      victims: world.posts.map(({ member }) => member.name),
      act: () => killAndStart(world.posts),
    }),
  },
  stopOne('a worker stopped past its lease', ({ world }) => world.workers),
  stopOne('a server stopped past a lease', ({ world }) => world.servers),
  {
    kind: 'a process restarted in order',
    plan: ({ world }) => {
      const { member } = nextOf(world.posts);
      const act = async (): Promise<boolean> => {
        await member.end();
        await member.start();
        return true;
      };
      return { victims: [member.name], act };
    },
  },
  {
    kind: 'a process replaced by one of another release',
    plan: ({ world }) => {
      const { releases } = world.options;
      if (releases.length < 2) return null;
      const post = nextOf(world.posts);
      const act = async (): Promise<boolean> => {
        await post.member.end();
        post.release = releases[(releases.indexOf(post.release) + 1) % releases.length]!;
        await post.member.start();
        return true;
      };
      return { victims: [post.member.name], act };
    },
  },
];
