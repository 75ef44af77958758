// How waits and the results of children are shown.
import type { ChildResult, WaitState, WaitValue } from 'pawl/internal/core/flow';
import { wholeResult } from 'pawl/internal/engine/by-reference';
import type { JobRef } from 'pawl/internal/core/job';
import type { LinkRequest, MessageLink } from 'pawl/internal/engine/flows/message-link';
import type { MessageLinkJson } from 'pawl/internal/contract/message-link';
import { timeText } from 'pawl/internal/contract/event-view';
import type { ChildResultJson, WaitStateJson, WaitValueJson } from 'pawl/internal/contract/flow';
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

export const LINK_TEXT =
  'A signed address by which whoever has it sends the job one message of this name, without a ' +
  'credential: it leads to a page with a button (where the link has a `value`) or a form. It ' +
  'ends when it was used, with the job, or after `ttlMs`. Each call makes another link. It needs ' +
  'the setting PAWL_PUBLIC_URL.';

/** A link as it is asked for. */
export function linkOf(
  ref: JobRef,
  { name, value, ttlMs }: { name: string; value?: unknown; ttlMs?: number },
): LinkRequest {
  return {
    ref,
    name,
    ...(value === undefined ? {} : { value: JSON.stringify(value) }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
  };
}

export function linkJson({ url, expiresAt }: MessageLink): MessageLinkJson {
  return { url, expiresAt: timeText(expiresAt) };
}

export async function waitStateJson(
  services: Services,
  tenant: string,
  { name, state }: { name: string; state: WaitState },
): Promise<WaitStateJson> {
  if (state.state === 'open') return { name, state: 'open' };
  return { name, state: 'decided', value: await valueJson(services, tenant, state.value) };
}
