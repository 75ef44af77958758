import { createHash } from 'node:crypto';
import type { JobError } from './job.ts';

/**
 * The same fault in two jobs has one fingerprint: ids, numbers and quotes are blotted out. Where
 * there is a stack, its topmost frame of the program's own code counts too.
 */
export function fingerprintOf(type: string, error: JobError): string {
  const shape = error.message
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, '#')
    .replaceAll(/\d+/g, '#')
    .replaceAll(/"[^"]*"|'[^']*'/g, '#');
  const parts = [type, error.class, error.code ?? '', shape, topFrame(error.stack ?? '')];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}

/** Function and file, without folders and lines: another release or machine has others. */
function topFrame(stack: string): string {
  const frames = stack.split('\n').filter((line) => /^\s*at /.test(line));
  const own = frames.find((line) => !/node:|node_modules/.test(line)) ?? '';
  const [, name = '', place = ''] = /^\s*at (?:(.*) \()?([^()]*)\)?$/.exec(own) ?? [];
  const file = place.replace(/(?::\d+)+$/, '').replace(/^.*[\\/]/, '');
  return file === '' ? '' : `${name.replace(/^async /, '')} ${file}`;
}
