/** `good` says that it was looked at; a `fault` needs someone now. */
export const LEVELS = ['good', 'notice', 'warning', 'fault'] as const;

export type Level = (typeof LEVELS)[number];

/** What a check has found, and what to do about it. */
export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly message: string;
  /** Null where nothing is to be done. */
  readonly action: string | null;
}

export type Found = Omit<Finding, 'check'>;

export function good(message: string): Found {
  return { level: 'good', message, action: null };
}

export function found(level: Exclude<Level, 'good'>, message: string, action: string): Found {
  return { level, message, action };
}

/** The worse of what was found decides about the whole. */
export function worstOf(findings: readonly Finding[]): Level {
  const ranks = findings.map(({ level }) => LEVELS.indexOf(level));
  return LEVELS[Math.max(0, ...ranks)] ?? 'good';
}
