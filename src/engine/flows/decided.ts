import type { WaitRequest, WaitState } from '../../core/flow.ts';
import type { Job } from '../../core/job.ts';
import type { StoredWait } from '../../records/flows.ts';
import type { EngineContext } from '../context.ts';
import { Turn, withMembers } from './decide.ts';

export interface DecidedWait {
  readonly name: string;
  readonly state: WaitState;
}

/**
 * What is decided of the waits that a job has begun, as far as it is kept: nothing is taken or
 * written for it. Those inside of a `first` are told by it.
 */
export async function decidedOf(context: EngineContext, job: Job): Promise<DecidedWait[]> {
  const stored = await context.records.flows.allWaits(job);
  if (stored.length === 0) return [];
  const byName = new Map(stored.map((one) => [one.name, one]));
  const inside = new Set(
    stored.flatMap(({ wait }) =>
      wait.kind === 'first' ? wait.members.map(({ name }) => name) : [],
    ),
  );
  const requests = stored
    .filter((one) => !inside.has(one.name) && isKept(one))
    .flatMap((one) => requestOf(one, byName) ?? []);
  const turn = new Turn(context, job);
  await turn.begin(requests.flatMap(withMembers));
  const decided: DecidedWait[] = [];
  for (const request of requests) {
    const state = await turn.stateOf(request);
    if (state.state === 'decided') decided.push({ name: request.name, state });
  }
  return decided;
}

/** Where to ask again would change nothing. */
function isKept({ wait }: StoredWait): boolean {
  switch (wait.kind) {
    case 'message':
      return wait.taken !== null;
    case 'first':
      return wait.winner !== null && wait.isOver;
    case 'children':
      return wait.isComplete;
    case 'time':
      return true;
    case 'jobs':
      return false;
  }
}

function requestOf(
  { name, wait }: StoredWait,
  byName: ReadonlyMap<string, StoredWait>,
): WaitRequest | null {
  switch (wait.kind) {
    case 'children':
      return { name, kind: 'children' };
    case 'time':
      return { name, kind: 'time', delayMs: 0 };
    case 'message':
      return { name, kind: 'message', message: wait.message };
    case 'first': {
      const members = wait.members.flatMap(({ key, name: inner }) => {
        const stored = byName.get(inner);
        const member = stored === undefined ? null : requestOf(stored, byName);
        return member === null ? [] : [{ key, wait: member }];
      });
      return { name, kind: 'first', members, onLose: wait.onLose };
    }
    case 'jobs':
      return null;
  }
}
