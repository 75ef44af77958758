import type { ComponentChildren } from 'preact';
import type { Loaded } from '../load.ts';
import { Empty, ProblemBox } from './notice.tsx';

interface Given<Value> {
  readonly of: Loaded<Value>;
  readonly children: (value: Value) => ComponentChildren;
}

/** What was loaded (dimmed while something else is asked for), or that it is on its way, or why it did not come. */
export function Shown<Value>({ of: { value, error, isStale }, children }: Given<Value>) {
  const found = value.value;
  return (
    <>
      {error.value !== null && <ProblemBox error={error.value} />}
      {found !== null && (
        <div
          class={isStale.value ? 'loaded stale' : 'loaded'}
          aria-busy={isStale.value ? 'true' : undefined}
          inert={isStale.value}
        >
          {children(found)}
        </div>
      )}
      {found === null && error.value === null && <Empty title="Loading…" />}
    </>
  );
}
