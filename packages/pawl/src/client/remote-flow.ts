import type { ChildResult, FlowAnswer, FlowCall, WaitState, WaitValue } from '../core/flow.ts';
import type {
  ChildResultJson,
  ChildrenJson,
  WaitJson,
  WaitStateJson,
  WaitValueJson,
} from '../contract/flow.ts';
import type { MessageLinkJson } from '../contract/message-link.ts';

/** Where a handler's question about its waits is asked, and with what. */
export function flowRequestOf(call: FlowCall): { path: string; body: object } {
  switch (call.do) {
    case 'spawn': {
      const { do: _, type, items, ...rest } = call;
      const children = items.map(
        ({ key, input, inputHash, options }): ChildrenJson['items'][number] => ({
          key,
          type,
          input: JSON.parse(input) as unknown,
          ...(inputHash === undefined ? {} : { inputHash }),
          ...options,
        }),
      );
      return { path: 'children', body: { ...rest, items: children } };
    }
    case 'decide': {
      const waits = call.waits as readonly WaitJson[];
      return { path: 'await', body: { waits, suspend: false } };
    }
    case 'results': {
      const { wait, after, limit } = call;
      return { path: `waits/${encodeURIComponent(wait)}/results`, body: { after, limit } };
    }
    case 'setAside':
      return {
        path: `messages/${encodeURIComponent(call.id)}/aside`,
        body: { reason: call.fault },
      };
    case 'link': {
      const { name, value, ttlMs } = call;
      const given = value === undefined ? {} : { value: JSON.parse(value) as unknown };
      return { path: 'links', body: { name, ...given, ...(ttlMs === undefined ? {} : { ttlMs }) } };
    }
  }
}

/** The answer as the engine in the same process would have given it. */
export function flowAnswerOf(call: FlowCall, body: unknown): FlowAnswer {
  switch (call.do) {
    case 'spawn':
      return { done: 'spawn', ids: (body as { ids: string[] }).ids };
    case 'decide':
      return { done: 'decide', waits: (body as { waits: WaitStateJson[] }).waits.map(stateOf) };
    case 'results': {
      const { results, next } = body as { results: ChildResultJson[]; next: string | null };
      return { done: 'results', results: results.map(resultOf), next };
    }
    case 'setAside':
      return { done: 'setAside' };
    case 'link':
      return { done: 'link', url: (body as MessageLinkJson).url };
  }
}

function stateOf({ value }: WaitStateJson): WaitState {
  return value === undefined ? { state: 'open' } : { state: 'decided', value: valueOf(value) };
}

function valueOf(value: WaitValueJson): WaitValue {
  switch (value.kind) {
    case 'children':
      return { ...value, results: value.results.map(resultOf) };
    case 'message':
      return { ...value, payload: JSON.stringify(value.payload ?? null) };
    case 'time':
      return value;
    case 'first':
      return { ...value, value: valueOf(value.value) };
  }
}

function resultOf({ key, id, ok, result, error }: ChildResultJson): ChildResult {
  return {
    key,
    id,
    ok,
    result: ok ? JSON.stringify(result ?? null) : null,
    error: error ?? null,
  };
}
