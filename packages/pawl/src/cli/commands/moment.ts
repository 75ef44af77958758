import { parseDuration } from '../../core/duration.ts';
import { UsageError } from '../exit-code.ts';

/** `2h` ago, or a time that is written out. */
export function instantIn(flag: string, text: string): string {
  const ms = parseDuration(text);
  const at = new Date(ms === null ? text : Date.now() - ms);
  if (!Number.isNaN(at.getTime())) return at.toISOString();
  throw new UsageError(`${flag} takes a time such as 2026-11-15T08:00 or a duration such as 2h`);
}
