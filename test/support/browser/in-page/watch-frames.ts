// They run in the page, so each stands on its own.

/** What a page did while it was watched. */
export interface Watched {
  /** Milliseconds between one frame and the next. */
  readonly frames: readonly number[];
  /** Tasks of more than 50 ms. */
  readonly longTasks: readonly number[];
  /** Of frames of more than 50 ms: how long scripts of the page ran in them, each. */
  readonly longScripts: readonly number[];
  /** Times that something in the document was changed, however much of it at once. */
  readonly changes: number;
  /** The sum of layout shifts that no hand had asked for. */
  readonly shift: number;
  readonly nodes: number;
  readonly heapBytes: number;
  readonly seconds: number;
}

interface Watch {
  frames: number[];
  longTasks: number[];
  longScripts: number[];
  changes: number;
  shift: number;
  startedAt: number;
  stop: () => void;
}

/** Begins to watch the page that it runs in. */
export function startWatch(): void {
  const watch: Watch = {
    frames: [],
    longTasks: [],
    longScripts: [],
    changes: 0,
    shift: 0,
    startedAt: performance.now(),
    stop: () => undefined,
  };
  let last = performance.now();
  let frame = 0;
  const tick = (now: number): void => {
    watch.frames.push(now - last);
    last = now;
    frame = requestAnimationFrame(tick);
  };
  frame = requestAnimationFrame((now) => {
    last = now;
    frame = requestAnimationFrame(tick);
  });
  const tasks = new PerformanceObserver((list) => {
    watch.longTasks.push(...list.getEntries().map(({ duration }) => duration));
  });
  tasks.observe({ type: 'longtask' });
  const scripts = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as LongFrame[]) {
      watch.longScripts.push(...entry.scripts.map(({ duration }) => duration));
    }
  });
  scripts.observe({ type: 'long-animation-frame' });
  const shifts = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as LayoutShift[]) {
      if (!entry.hadRecentInput) watch.shift += entry.value;
    }
  });
  shifts.observe({ type: 'layout-shift' });
  const changes = new MutationObserver(() => {
    watch.changes += 1;
  });
  const everything = { subtree: true, childList: true, characterData: true, attributes: true };
  changes.observe(document.body, everything);
  watch.stop = () => {
    cancelAnimationFrame(frame);
    for (const observer of [tasks, scripts, shifts, changes]) observer.disconnect();
  };
  Object.assign(globalThis, { pawlWatch: watch });
}

interface LongFrame {
  readonly scripts: readonly { readonly duration: number }[];
}

interface LayoutShift {
  readonly value: number;
  readonly hadRecentInput: boolean;
}

/** Ends the watch and tells what was seen. */
export function endWatch(): Watched {
  const { stop, startedAt, ...seen } = (globalThis as unknown as { pawlWatch: Watch }).pawlWatch;
  stop();
  const { memory } = performance as unknown as { memory?: { usedJSHeapSize: number } };
  return {
    ...seen,
    nodes: document.querySelectorAll('*').length,
    heapBytes: memory?.usedJSHeapSize ?? 0,
    seconds: (performance.now() - startedAt) / 1_000,
  };
}
