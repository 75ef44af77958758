/**
 * A job's input or result that is too large for the database is kept where artifacts are, under one
 * of these names. It is a value of its job and no artifact: no route for artifacts shows it, and it
 * lives as long as the job's record.
 */
export const INPUT_VALUE = '$input';
export const RESULT_VALUE = '$result';

/** Names that begin so are the platform's own. */
export function isValueName(name: string): boolean {
  return name.startsWith('$');
}
