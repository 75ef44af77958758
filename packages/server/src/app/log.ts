import type { Clock } from 'pawl/internal/core/clock';
import type { EngineLog } from 'pawl/internal/engine/context';
import { prettyLine } from './log-pretty.ts';
import { redacted, redactedText, type Redacted } from 'pawl/internal/core/redact';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = 'json' | 'pretty';

export type LogFacts = Readonly<Record<string, unknown>>;

/** Lines about what the platform does. Whatever is given to it, no secret leaves it. */
export interface Log extends EngineLog {
  debug(message: string, facts?: LogFacts): void;
  info(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
}

/** One line, ready to be written. */
export interface LogLine {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly facts: Readonly<Record<string, Redacted>>;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly hasColour: boolean;
  readonly clock: Clock;
  readonly write: (text: string) => void;
}

/** A log that writes lines of JSON, or lines for people. */
export function openLog(options: LogOptions): Log {
  const { format, hasColour, clock, write } = options;
  const least = LOG_LEVELS.indexOf(options.level);
  const at = (level: LogLevel) => {
    if (LOG_LEVELS.indexOf(level) < least) return () => undefined;
    return (message: string, facts: LogFacts = {}): void => {
      const line: LogLine = {
        time: new Date(clock.now()).toISOString(),
        level,
        message: redactedText(message),
        facts: redacted(facts) as LogLine['facts'],
      };
      write(format === 'json' ? jsonLine(line) : prettyLine(line, hasColour));
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Facts come last, and cannot pass for what the line itself says. */
function jsonLine({ time, level, message, facts }: LogLine): string {
  return `${JSON.stringify({ ...facts, time, level, message })}\n`;
}
