import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { ApiError } from '../api.ts';

const said = signal<string | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

const SAID_MS = 5_000;
const REFUSED_MS = 12_000;

/** Says something for a few seconds. */
export function say(text: string, forMs: number = SAID_MS): void {
  said.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => (said.value = null), forMs);
}

/** Says what went wrong and what to do next, for as long as it takes to read. */
function sayRefused(error: Error): void {
  const hint = error instanceof ApiError ? error.problem.hint : undefined;
  say(hint === undefined ? error.message : `${error.message}. ${hint}`, REFUSED_MS);
}

export function Toast() {
  return said.value === null ? null : (
    <div class="toast" role="status">
      {said.value}
    </div>
  );
}

/** What went wrong and what to do next. */
export function ProblemBox({ error }: { readonly error: Error }) {
  const hint = error instanceof ApiError ? error.problem.hint : undefined;
  return (
    <div class="problem" role="alert">
      <b>{error.message}</b>
      {hint !== undefined && <div class="quiet">{hint}</div>}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <b>{title}</b>
      {children}
    </div>
  );
}

/** Runs what a click asked for and says how it went. */
export async function act(what: () => Promise<unknown>, done: string): Promise<boolean> {
  try {
    await what();
    say(done);
    return true;
  } catch (error) {
    sayRefused(error as Error);
    return false;
  }
}
