// Ends of children against the suspension of their parent, all at once: no wake may be lost.
import type { Claim } from '../../../src/engine/claim.ts';
import type { Ending } from '../../../src/core/ending.ts';
import { type FlowWorld, itemsOf, openFlowWorld } from '../../support/flow-world.ts';
import { holdingOf, type OpenStore } from '../../support/world.ts';

const CHILDREN = 7;
const KEYS: readonly string[] = Array.from({ length: CHILDREN }, (_, index) => `k${index}`);
const SUCCEED: Ending = { kind: 'succeed', result: '1' };
/** So many parents race side by side. */
const ABREAST = 10;

export interface RaceReport {
  readonly races: number;
  /** Parents that were not woken, or more than once. */
  readonly problems: readonly string[];
}

/** Each race: seven ends and a suspension, in an order that nobody chooses. */
export async function raceEnds(open: OpenStore, races: number): Promise<RaceReport> {
  const flow = await openFlowWorld({ store: open });
  const problems: string[] = [];
  try {
    for (let done = 0; done < races; done += ABREAST) {
      problems.push(...(await heat(flow, Math.min(ABREAST, races - done))));
    }
  } finally {
    await flow.world.close();
  }
  return { races, problems };
}

async function heat(flow: FlowWorld, parents: number): Promise<string[]> {
  const turns: Claim[] = [];
  for (let number = 0; number < parents; number++) {
    const turn = await flow.running();
    await flow.spawn(turn, { items: itemsOf(KEYS) });
    await flow.decide(turn, { name: 'parts', kind: 'children' });
    turns.push(turn);
  }
  const children = await flow.world.claim('w2', 'child', { max: CHILDREN * parents });
  const ends = children.map((claim) => () => settle(flow, claim, SUCCEED));
  const sleeps = turns.map(
    (turn) => () => settle(flow, turn, { kind: 'suspend', waits: ['parts'] }),
  );
  const acts = shuffled([...ends, ...sleeps], flow);
  await Promise.all(acts.map((act) => act()));
  await flow.follow();
  const woken = await flow.world.claim('w3', 'parent', { max: parents + 1 });
  const problems = turns.flatMap(({ job }) => {
    return woken.some((one) => one.job.id === job.id) ? [] : [`${job.id} was never woken`];
  });
  for (const { job } of turns) {
    const events = await flow.world.events(job);
    const wakes = events.filter(({ type }) => type === 'job_woken').length;
    if (wakes > 1) problems.push(`${job.id} was woken ${wakes} times`);
  }
  for (const claim of woken) await flow.world.complete(claim);
  return problems;
}

async function settle(flow: FlowWorld, claim: Claim, ending: Ending): Promise<void> {
  const [outcome] = await flow.world.engine.settle([{ ...holdingOf(claim), ending }]);
  if (outcome!.kind === 'refused') throw outcome!.error;
}

function shuffled<Item>(items: readonly Item[], { world }: FlowWorld): Item[] {
  return items
    .map((item) => ({ item, at: world.random.next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
