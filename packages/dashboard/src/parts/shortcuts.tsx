import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isForSomethingElse } from '../keys.ts';
import { go } from '../route.ts';
import { Dialog } from './dialog.tsx';

interface Goal {
  readonly href: string;
  readonly title: string;
  readonly key: string | null;
}

const ON_LISTS: readonly (readonly [string, string])[] = [
  ['j / k', 'next, previous job'],
  ['Enter', 'open'],
  ['x', 'select'],
  ['c', 'copy the id'],
  ['Esc', 'clear the selection'],
  ['/', 'focus the filter'],
];

/** `g` and a letter lead to a page, `?` shows what there is. */
export function Shortcuts({ goals }: { readonly goals: readonly Goal[] }) {
  const isShown = useSignal(false);
  const isGoing = useRef(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isForSomethingElse(event)) return;
      const goal = isGoing.current ? goals.find(({ key }) => key === event.key) : undefined;
      if (goal !== undefined) {
        go(goal.href);
        // The same letter may also be a key of the page.
        event.stopImmediatePropagation();
      }
      isGoing.current = event.key === 'g';
      if (event.key === '?') isShown.value = true;
      if (event.key !== '/') return;
      event.preventDefault();
      document.querySelector<HTMLElement>('[role=search] input')?.focus();
    };
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, [goals]);
  if (!isShown.value) return null;
  const reached = goals.filter(({ key }) => key !== null);
  const keys = [
    ['Ctrl K', 'search everything'] as const,
    ...reached.map(({ key, title }) => [`g ${key}`, title] as const),
    ...ON_LISTS,
  ];
  return (
    <Dialog title="Keys" onClose={() => (isShown.value = false)}>
      {(close) => (
        <>
          <dl class="facts">
            {keys.map(([key, what]) => [
              <dt key={key}>
                <kbd>{key}</kbd>
              </dt>,
              <dd key={`${key} what`}>{what}</dd>,
            ])}
          </dl>
          <button onClick={close}>Close</button>
        </>
      )}
    </Dialog>
  );
}
