import type { JsonText } from '../core/job.ts';
import { VERSION } from './place.ts';

/** Whether a payload was encoded by the codec of this package, so that only its keys read it. */
export function isSealed(json: JsonText): boolean {
  return json.startsWith(`"${VERSION}.`);
}
