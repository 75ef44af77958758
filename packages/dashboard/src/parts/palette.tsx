import { signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Entry } from '../entries.tsx';
import { Hits } from './palette/hits.tsx';
import { ownHits, type Hit, type HitGroup } from './palette/own-hits.ts';
import { useServerHits } from './palette/server-hits.ts';

export const isPaletteOpen = signal(false);

function isAskedFor(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k';
}

function Open({ pages }: { readonly pages: readonly Entry[] }) {
  const box = useRef<HTMLDialogElement>(null);
  const words = useSignal('');
  const at = useSignal(0);
  // Before the browser takes the next key: what is typed at once after the click belongs here.
  useLayoutEffect(() => box.current?.showModal(), []);
  const found = useServerHits(words.value);
  const groups: HitGroup[] = [...ownHits(words.value, pages), ...found.groups];
  const hits = groups.flatMap(({ hits: own }) => own);
  const current = Math.min(at.value, Math.max(0, hits.length - 1));
  const choose = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    box.current?.close();
    hit.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === undefined) choose(hits[current]);
    else at.value = (current + step + hits.length) % Math.max(1, hits.length);
  };
  return (
    <dialog
      class="palette"
      ref={box}
      aria-label="Find"
      onClose={() => (isPaletteOpen.value = false)}
      onClick={(event) => event.target === box.current && box.current?.close()}
    >
      <input
        role="combobox"
        aria-label="Find jobs, pages and actions"
        aria-expanded="true"
        aria-controls="palette-hits"
        aria-activedescendant={hits.length === 0 ? undefined : `hit-${current}`}
        placeholder="An id, document, customer, error, type, page or action"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        value={words.value}
        onInput={(event) => {
          words.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKey}
        autofocus
      />
      <Hits groups={groups} current={current} onChoose={choose} />
      <div class="foot" role="status">
        {found.note}
      </div>
    </dialog>
  );
}

/** One box for everything, behind Ctrl-K or ⌘K. */
export function Palette({ pages }: { readonly pages: readonly Entry[] }) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isAskedFor(event)) return;
      event.preventDefault();
      isPaletteOpen.value = true;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return isPaletteOpen.value ? <Open pages={pages} /> : null;
}
