import type { EngineLog } from '../engine/context.ts';

type Facts = Readonly<Record<string, unknown>>;

/** `console`, or anything that takes a message and then facts. */
export interface ConsoleLog {
  warn(message: string, facts?: Facts): void;
  error?(message: string, facts?: Facts): void;
}

/** pino, bunyan, or anything else that takes facts and then a message. */
export interface FactsFirstLog {
  warn(facts: Facts, message: string): void;
  error?(facts: Facts, message: string): void;
  child(bindings: Facts): unknown;
}

/** A logger of the program, such as a console or a pino logger. */
export type UserLog = ConsoleLog | FactsFirstLog;

/** Loggers that take facts first make children and have no plain `log`, as consoles do. */
function takesFactsFirst(log: UserLog): log is FactsFirstLog {
  return 'child' in log && typeof log.child === 'function' && !('log' in log);
}

/** What the platform has to say, in the order of words that the user's logger takes. */
export function engineLogOf(log: UserLog | false): EngineLog {
  if (log === false) return { warn: () => undefined };
  if (takesFactsFirst(log)) return { warn: (message, facts) => log.warn(facts, message) };
  return { warn: (message, facts) => log.warn(`pawl: ${message}`, facts) };
}
