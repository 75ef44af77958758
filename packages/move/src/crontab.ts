import { payloadFault, readPayload } from './payload.ts';
import type { SourceSchedule } from './source.ts';

// Five fields, the task, options as a query string, a payload as JSON; the last two may be missing.
const LINE = /^((?:\S+\s+){5})([A-Za-z_][\w:/.-]*)(?:\s+\?(\S*))?(?:\s+(\{.*\}))?$/;

/** What a crontab of Graphile Worker has, whose times are UTC; a line that is none is an error. */
export function readCrontab(text: string): SourceSchedule[] {
  return text.split('\n').flatMap((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return [];
    const [, fields, task, options, payload] = LINE.exec(line) ?? [];
    if (fields === undefined || task === undefined) {
      throw new Error(`line ${index + 1} of the crontab is not a rule: ${line}`);
    }
    const expression = fields.trim().replaceAll(/\s+/g, ' ');
    const key = new URLSearchParams(options ?? '').get('id') ?? task;
    const given = readPayload(payload ?? '{}');
    if (given.inexact !== null) {
      throw new Error(`line ${index + 1} of the crontab: ${payloadFault(given.inexact)}`);
    }
    const rule = { kind: 'cron', expression, timeZone: 'UTC' } as const;
    return [{ kind: task, queue: task, key, ...given, text: `${expression} (UTC)`, rule }];
  });
}
