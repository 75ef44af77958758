/** Types of this name belong to the platform, whose own work is nobody's news. */
export const INTERNAL_PREFIX = 'pawl.';

/** Whether a type is internal to the platform. */
export function isInternalType(type: string): boolean {
  return type.startsWith(INTERNAL_PREFIX);
}
