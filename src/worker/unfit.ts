import { isPawlError } from '../core/errors.ts';
import { StoreError } from '../store/store-error.ts';

const CODES: ReadonlySet<string> = new Set(['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE']);

/** True where asking again is no use: something in what was reported was refused. */
export function isUnfit(error: Error): boolean {
  if (error instanceof StoreError) return error.outcome === 'refused';
  return isPawlError(error) && CODES.has(error.code);
}
