/** `good` says that it was looked at; a `fault` needs someone now. */
export const LEVELS = ['good', 'notice', 'warning', 'fault'] as const;

export type Level = (typeof LEVELS)[number];

/** The result of one check of `doctor`, with its remedy. */
export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly message: string;
  /** Null where nothing is to be done. */
  readonly action: string | null;
  /** What it is about, where that has a name. */
  readonly about?: FindingSubject;
}

/** The queue or type that a finding is about. */
export interface FindingSubject {
  readonly kind: 'queue' | 'type';
  readonly name: string;
  /** Resuming it is what is to be done. */
  readonly isPaused?: true;
}

/** The result of a check, without the name of the check. */
export type Found = Omit<Finding, 'check'>;

/** A finding of a check that passed. */
export function good(message: string): Found {
  return { level: 'good', message, action: null };
}

/** A finding of a check that did not pass, with its remedy. */
export function found(
  level: Exclude<Level, 'good'>,
  message: string,
  action: string,
  about?: FindingSubject,
): Found {
  return { level, message, action, ...(about === undefined ? {} : { about }) };
}

/** The worse of what was found decides about the whole. */
export function worstOf(findings: readonly Finding[]): Level {
  const ranks = findings.map(({ level }) => LEVELS.indexOf(level));
  return LEVELS[Math.max(0, ...ranks)] ?? 'good';
}
