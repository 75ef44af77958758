import { invalid, type PawlError } from '../core/errors.ts';
import type { JsonText } from '../core/job.ts';
import { VERSION } from './place.ts';

/** Whether a payload was encoded by the codec of this package, so that only its keys read it. */
export function isSealed(json: JsonText): boolean {
  return json.startsWith(`"${VERSION}.`);
}

/** The page behind a link has no key, and the address itself would tell a value. */
export function linkRefusal(jobId: string): PawlError {
  const message =
    `must not be asked for: the payloads of job ${jobId} are encrypted, and a link cannot ` +
    'encrypt an answer; send the message from a program that has the key (a codec)';
  return invalid([{ pointer: '', message }]);
}
