// Back leads to where one was: lists are loaded anew, so the browser cannot do it by itself.

const NAME = 'pawl-scroll';
/** Who waits longer for a list has begun to look at something else. */
const PATIENCE_MS = 5_000;

interface Places {
  [key: string]: number;
}

function readPlaces(): Places {
  return JSON.parse(sessionStorage.getItem(NAME) ?? '{}') as Places;
}

/** Names the entry of the browser's history that is shown. */
function keyOfEntry(): string {
  const { state } = history as { state: { pawl?: string } | null };
  if (state?.pawl !== undefined) return state.pawl;
  const key = `${Date.now()}.${Math.random()}`;
  history.replaceState({ ...state, pawl: key }, '');
  return key;
}

function keep(key: string, y: number): void {
  const entries = Object.entries({ ...readPlaces(), [key]: y });
  sessionStorage.setItem(NAME, JSON.stringify(Object.fromEntries(entries.slice(-100))));
}

/** Goes there as soon as the page is long enough, unless somebody scrolls before. */
function restore(y: number): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const root = document.documentElement;
  const tryIt = (): void => {
    if (signal.aborted || root.scrollHeight - root.clientHeight < y) return;
    scrollTo(0, y);
    stop.abort();
  };
  const watch = new ResizeObserver(tryIt);
  watch.observe(document.body);
  signal.addEventListener('abort', () => watch.disconnect());
  for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown']) {
    addEventListener(event, () => stop.abort(), { signal, passive: true });
  }
  setTimeout(() => stop.abort(), PATIENCE_MS);
  tryIt();
  return () => stop.abort();
}

/** Remembers how far each entry of the history was scrolled, and goes back there. */
export function keepPlace(): void {
  history.scrollRestoration = 'manual';
  let key = keyOfEntry();
  let leave = (): void => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  addEventListener(
    'scroll',
    () => {
      clearTimeout(timer);
      const [own, y] = [key, scrollY];
      timer = setTimeout(() => keep(own, y), 100);
    },
    { passive: true },
  );
  addEventListener('hashchange', () => {
    leave();
    clearTimeout(timer);
    const known = (history.state as { pawl?: string } | null)?.pawl;
    key = keyOfEntry();
    const y = known === undefined ? 0 : (readPlaces()[known] ?? 0);
    if (y === 0) scrollTo(0, 0);
    else leave = restore(y);
  });
  const before = readPlaces()[key] ?? 0;
  if (before > 0) leave = restore(before);
}
