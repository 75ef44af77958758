import { isPawlError, type PawlError } from '../core/errors.ts';
import { StoreError } from '../store/store-error.ts';

const CODES: ReadonlySet<string> = new Set(['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE']);

/** True where asking again is no use: something in what was reported was refused. */
export function isUnfit(error: Error): boolean {
  if (error instanceof StoreError) return error.outcome === 'refused';
  return isPawlError(error) && CODES.has(error.code);
}

/** The platform's type has no such stage: later reports of the attempt would say the same. */
export function isUndeclaredStage({ code, details }: PawlError): boolean {
  return code === 'VALIDATION_ERROR' && details['undeclaredStage'] !== undefined;
}

/** True where the attempt can go on without what was refused. */
export function isDroppable(error: PawlError): boolean {
  return isUnfit(error) && !isUndeclaredStage(error);
}
