import { systemClock } from 'pawl/internal/core/clock';
import { ConfigurationError } from 'pawl/internal/settings/configuration-error';
import { type Log, LOG_LEVELS, type LogFormat, type LogLevel, openLog } from './log.ts';

/** How much is written, and for whom. */
export interface LogSettings {
  readonly level: LogLevel;
  /** Null: for people on a terminal, else JSON. */
  readonly format: LogFormat | null;
}

export function readLogSettings(env: NodeJS.ProcessEnv): LogSettings {
  const level = env['LOG_LEVEL'] || 'info';
  if (!(LOG_LEVELS as readonly string[]).includes(level)) {
    throw new ConfigurationError('LOG_LEVEL', `is "${level}": give ${LOG_LEVELS.join(', ')}`);
  }
  const format = env['LOG_FORMAT'] || null;
  if (format !== null && format !== 'json' && format !== 'pretty') {
    throw new ConfigurationError('LOG_FORMAT', `is "${format}": give json or pretty`);
  }
  return { level: level as LogLevel, format };
}

/** True where lines are for people. */
export function isPretty({ format }: LogSettings, stream: NodeJS.WriteStream): boolean {
  return (format ?? (stream.isTTY ? 'pretty' : 'json')) === 'pretty';
}

/** The log of a process, on its standard output. */
export function processLog(settings: LogSettings, stream: NodeJS.WriteStream): Log {
  return openLog({
    level: settings.level,
    format: isPretty(settings, stream) ? 'pretty' : 'json',
    hasColour: stream.isTTY && stream.hasColors(),
    clock: systemClock,
    write: (text) => void stream.write(text),
  });
}
