/** What a caller would like of an execution (RFC 7240), as far as anybody here heeds it. */
export interface Preferences {
  readonly isAsync: boolean;
  readonly waitMs: number | null;
  /** Whether values come with an answer, or (minimal) the large ones as references. */
  readonly returns: ReturnPreference | null;
}

export type ReturnPreference = 'minimal' | 'representation';

/** `respond-sync` is no registered preference and asks for what happens anyway. */
export function readPreferences(header: string | null): Preferences {
  const words = (header ?? '').toLowerCase().split(',');
  const wishes = words.map((word) => word.split(';')[0]!.replaceAll(/\s/g, ''));
  const [returns] = wishes.flatMap((wish) => {
    return /^return="?(minimal|representation)"?$/.exec(wish)?.[1] ?? [];
  });
  const wait = wishes.flatMap((wish) => /^wait="?(\d{1,5})"?$/.exec(wish)?.[1] ?? []);
  return {
    isAsync: wishes.includes('respond-async'),
    waitMs: wait[0] === undefined ? null : Number(wait[0]) * 1_000,
    returns: (returns as ReturnPreference | undefined) ?? null,
  };
}

/** How an execution is answered: at once with its status, or after a wait with its results. */
export type Mode =
  | { readonly kind: 'async'; readonly applied: string | null }
  | { readonly kind: 'sync'; readonly waitMs: number; readonly applied: string | null };

/**
 * The table of the standard: a process that can do both is answered synchronously unless it is
 * asked otherwise. With `wait` too, the results come if they are there by then.
 */
export function modeOf(options: readonly string[], wish: Preferences, syncWaitMs: number): Mode {
  const canAsync = options.includes('async-execute');
  const canSync = options.includes('sync-execute') || !canAsync;
  if (!canSync) return { kind: 'async', applied: wish.isAsync ? 'respond-async' : null };
  if (wish.isAsync && canAsync && wish.waitMs === null) {
    return { kind: 'async', applied: 'respond-async' };
  }
  if (wish.waitMs === null) return { kind: 'sync', waitMs: syncWaitMs, applied: null };
  const waitMs = Math.min(wish.waitMs, syncWaitMs);
  return { kind: 'sync', waitMs, applied: `wait=${Math.round(waitMs / 1_000)}` };
}
