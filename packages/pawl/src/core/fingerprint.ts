import { createHash } from 'node:crypto';
import type { JobError } from './job.ts';

/** The same fault in two jobs has one fingerprint: ids, numbers and quotes are blotted out. */
export function fingerprintOf(type: string, error: JobError): string {
  const shape = error.message
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, '#')
    .replaceAll(/\d+/g, '#')
    .replaceAll(/"[^"]*"|'[^']*'/g, '#');
  const parts = [type, error.class, error.code ?? '', shape];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}
