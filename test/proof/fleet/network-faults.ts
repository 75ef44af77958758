// Faults of the lines between clients, workers, servers and the database.
import { between, type Fault, pauseUntilFelt, type Scene } from './fault.ts';
import type { Link, Trouble } from './link.ts';

const TROUBLES: readonly (readonly [string, Trouble])[] = [
  ['cut', { kind: 'cut' }],
  ['black hole', { kind: 'black hole' }],
  ['delay', { kind: 'delay', ms: 150 }],
  ['throttle', { kind: 'throttle', bytesPerSecond: 20_000 }],
  ['half-open', { kind: 'half-open' }],
  ['answers lost', { kind: 'lost answers' }],
];

const LINES: readonly (readonly [string, (scene: Scene) => readonly Link[]])[] = [
  ['clients and servers', ({ world }) => world.clientLinks],
  ['workers and servers', ({ world }) => world.workerLinks],
  ['the platform and its database', ({ world }) => world.storeLinks],
];

export const NETWORK_FAULTS: readonly Fault[] = TROUBLES.flatMap(([word, trouble]) =>
  LINES.map(([place, choose]) => ({
    kind: `${word} between ${place}`,
    plan: (scene: Scene) => {
      const links = choose(scene);
      if (links.length === 0) return null;
      const link = scene.random.pick(links);
      const act = async (): Promise<boolean> => {
        const before = link.harmed;
        link.trouble = trouble;
        const ms = between(scene.random, 700, 1_800);
        const isFelt = await pauseUntilFelt(ms, () => link.harmed > before);
        link.trouble = null;
        return isFelt;
      };
      return { victims: [link.name], act };
    },
  })),
);
