/** How much a line of a job's log matters. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Writes lines to the job's log: `log('…')` is `log.info('…')`. */
export interface JobLog extends Readonly<Record<LogLevel, (line: string) => void>> {
  (line: string): void;
}

export function jobLog(write: (line: string, level: LogLevel) => void): JobLog {
  const at =
    (level: LogLevel) =>
    (line: string): void =>
      write(line, level);
  return Object.assign(at('info'), {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  });
}

/** What the note of a line carries beside the line: nothing at the default level. */
export function levelPayload(level: LogLevel): { readonly level: LogLevel } | null {
  return level === 'info' ? null : { level };
}

export function levelIn(payload: Readonly<Record<string, unknown>> | null): LogLevel {
  return LOG_LEVELS.find((level) => level === payload?.['level']) ?? 'info';
}
