// How waits and the results of children are shown.
import type { ChildResult, WaitState, WaitValue } from '../core/flow.ts';
import { wholeResult } from '../engine/by-reference.ts';
import type { ChildResultJson, WaitStateJson, WaitValueJson } from './schema/flow.ts';
import type { Services } from './services.ts';
import { errorJson } from './view.ts';

/** As the answer shows it: a code is made of the class where the handler gave none. */
function childResultJson({ key, id, ok, result, error }: ChildResult): ChildResultJson {
  if (ok) return { key, id, ok, result: result === null ? null : (JSON.parse(result) as unknown) };
  return { key, id, ok, error: error === null ? null : errorJson('job', error) };
}

/** Results as their handlers gave them: a worker cannot see the values of other jobs by itself. */
export async function childResultsJson(
  { artifacts }: Services,
  tenant: string,
  results: readonly ChildResult[],
): Promise<ChildResultJson[]> {
  const whole = results.map(async (one) => {
    const { id, result } = one;
    if (result === null || artifacts === null) return childResultJson(one);
    const value = await wholeResult(artifacts.access, { tenant, id, result });
    return childResultJson({ ...one, result: value });
  });
  return Promise.all(whole);
}

async function valueJson(
  services: Services,
  tenant: string,
  value: WaitValue,
): Promise<WaitValueJson> {
  switch (value.kind) {
    case 'children': {
      const { kind, counts, results, isAll } = value;
      return { kind, counts, results: await childResultsJson(services, tenant, results), isAll };
    }
    case 'time':
      return { kind: value.kind };
    case 'message': {
      const { kind, id, payload } = value;
      return { kind, id, payload: JSON.parse(payload) as unknown };
    }
    case 'first': {
      const { kind, which } = value;
      const inner = await valueJson(services, tenant, value.value);
      return { kind, which, value: inner } as WaitValueJson;
    }
  }
}

export async function waitStateJson(
  services: Services,
  tenant: string,
  { name, state }: { name: string; state: WaitState },
): Promise<WaitStateJson> {
  if (state.state === 'open') return { name, state: 'open' };
  return { name, state: 'decided', value: await valueJson(services, tenant, state.value) };
}
