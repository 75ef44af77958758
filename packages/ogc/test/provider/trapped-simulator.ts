// A provider that never answers at one step of each process's execution, the first time.
import { openSimulator, type ProviderSimulator, type Reply } from './simulator.ts';

/** Processes by the step at which they hang; `doubt` and `send` are the same, for two providers. */
export const STEPS: readonly string[] = ['doubt', 'send', 'follow', 'poll', 'results'];

export function executionOf(process: string): string {
  return `POST /processes/${process}/execution`;
}

export interface TrappedSimulator {
  readonly simulator: ProviderSimulator;
  /** The steps at which somebody waits by now. */
  readonly reached: ReadonlySet<string>;
}

export async function openTrappedSimulator(): Promise<TrappedSimulator> {
  const simulator = await openSimulator({ processes: STEPS });
  const reached = new Set<string>();
  const usual = (): null => null;
  const hang = (step: string): Reply => {
    reached.add(step);
    simulator.news.tell();
    return 'hang';
  };
  const make = (process: string): { reply: Exclude<Reply, string>; at: string } => {
    const reply = simulator.create(process) as Exclude<Reply, string>;
    return { reply, at: `GET /jobs/${[...simulator.jobs.keys()].at(-1)!}` };
  };
  for (const step of ['doubt', 'send']) {
    const first = (): Reply => {
      make(step);
      return hang(step);
    };
    simulator.on(executionOf(step), first, usual);
  }
  simulator.on(executionOf('follow'), () => {
    const { reply, at } = make('follow');
    simulator.on(at, () => hang('follow'), usual);
    return { status: 201, headers: reply.headers! };
  });
  simulator.on(executionOf('poll'), () => {
    const { reply, at } = make('poll');
    simulator.on(at, usual, () => hang('poll'), usual);
    return reply;
  });
  simulator.on(executionOf('results'), () => {
    const { reply, at } = make('results');
    simulator.on(`${at}/results`, () => hang('results'), usual);
    return reply;
  });
  return { simulator, reached };
}
