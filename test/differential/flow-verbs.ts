// Waiting, as operations: turns that spawn and suspend, messages, and the follower.
import type { SeededRandom } from '../../src/core/random.ts';
import { FlowFollower } from '../../src/engine/flows/flow-follower.ts';
import type { WaitRequest } from '../../src/engine/flows/flows.ts';
import type { Contestant } from './contestant.ts';
import { TYPE_NAMES } from './requests.ts';
import { chance, pickHoldings, pickRefWhere, type Scene } from './scene.ts';

export interface FlowCall {
  readonly text: string;
  perform(contestant: Contestant): Promise<unknown>;
}

type Choose = (random: SeededRandom, scene: Scene) => FlowCall;

function call(name: string, args: unknown, perform: FlowCall['perform']): FlowCall {
  return { text: `${name} ${JSON.stringify(args)}`, perform };
}

/** Nothing is timed here: the follower reads to the end and lets go of its name. */
const STILL = { sleep: (): Promise<void> => Promise.resolve() };

export const FLOW_VERBS = {
  spawn: (random, scene) => {
    const [held] = pickHoldings(random, scene);
    const keys = ['a', 'b', 'c'].slice(0, 1 + random.below(3));
    const request = {
      wait: random.pick(['one', 'two']),
      type: random.pick(TYPE_NAMES),
      onFailure: random.pick(['throw', 'failFast', 'hold'] as const),
      items: keys.map((key) => ({ key, input: JSON.stringify({ key }) })),
      isLast: true,
    };
    return call('spawn', { held, request }, ({ engine }) =>
      held === undefined ? Promise.resolve(null) : engine.flows.spawn(held, request),
    );
  },
  suspend: (random, scene) => {
    const [held] = pickHoldings(random, scene);
    const waits: WaitRequest[] = [
      ...(chance(random, 0.6) ? [{ name: 'one', kind: 'children' } as const] : []),
      ...(chance(random, 0.4)
        ? [{ name: 'said', kind: 'message', message: 'go' } as const]
        : [{ name: 'nap', kind: 'time', delayMs: random.pick([0, 500, 60_000]) } as const]),
    ];
    return call('suspend', { held, waits }, async ({ engine }) => {
      if (held === undefined) return null;
      const states = await engine.flows.decide(held, waits);
      const names = waits.map(({ name }) => name);
      const ending = { kind: 'suspend', waits: names } as const;
      return [states, await engine.settle([{ ...held, ending }])];
    });
  },
  send: (random, scene) => {
    const ref = pickRefWhere(random, scene, (job) => job.completedAt === null);
    const key = chance(random, 0.3) ? { key: `k${random.below(2)}` } : {};
    const asked = { ref, name: 'go', payload: '1', actor: 'api:tester', ...key };
    return call('send', asked, ({ engine }) => engine.flows.send(asked));
  },
  follow: () =>
    call('follow', null, async ({ engine }) => {
      const follower = new FlowFollower(engine.context, { timers: STILL });
      const made = await follower.runOnce();
      await follower.stop();
      return made;
    }),
} satisfies Record<string, Choose>;
