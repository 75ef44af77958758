import type { Store } from 'pawl/internal/store/store';
import { StoreError } from 'pawl/internal/store/store-error';
import type { Meter } from './meter.ts';

/**
 * Parts of the port that have verbs of their own, and what their names begin with here: jobs and
 * records are both read and listed. `care` itself is read to measure.
 */
const PARTS: ReadonlyMap<PropertyKey, string> = new Map([
  ['records', 'records.'],
  ['control', ''],
]);

/**
 * The same store, with the time of every answer measured: for writes that is the time until they
 * are committed. Stores know nothing of it.
 */
export function measuredStore<Kind extends Store>(store: Kind, meter: Meter): Kind {
  return watched(store, (verb, answer) => timed(answer, { verb, meter }));
}

type Watch = (verb: string, answer: Promise<unknown>) => void;

function watched<Part extends object>(part: Part, watch: Watch, prefix = ''): Part {
  const members = new Map<PropertyKey, unknown>();
  const wrap = (name: PropertyKey): unknown => {
    const member: unknown = Reflect.get(part, name, part);
    const inner = PARTS.get(name);
    if (typeof member === 'object' && member !== null && inner !== undefined) {
      return watched(member, watch, inner);
    }
    if (typeof member !== 'function') return member;
    return (...args: unknown[]): unknown => {
      const answer: unknown = Reflect.apply(member, part, args);
      if (answer instanceof Promise) watch(`${prefix}${String(name)}`, answer);
      return answer;
    };
  };
  return new Proxy(part, {
    get: (_, name) => {
      if (!members.has(name)) members.set(name, wrap(name));
      return members.get(name);
    },
  });
}

function timed(answer: Promise<unknown>, { verb, meter }: { verb: string; meter: Meter }): void {
  const from = performance.now();
  const told = (result: string): void => {
    const seconds = (performance.now() - from) / 1_000;
    meter.observe('pawl_store_seconds', { verb, result }, seconds);
  };
  answer.then(
    () => told('ok'),
    (error: unknown) => told(error instanceof StoreError ? error.outcome : 'unknown'),
  );
}
