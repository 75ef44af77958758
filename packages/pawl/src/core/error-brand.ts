/**
 * Marks the errors of this package, by a registered symbol: two copies of it in one program, as
 * bundlers and package managers make them, know each other's errors where `instanceof` does not.
 */
const ERROR_BRAND = Symbol.for('pawl.error');

export type BrandedError =
  | 'PawlError'
  | 'JobFailure'
  | 'JobFailed'
  | 'JobCancelled'
  | 'WaitTimeout';

/** On the prototype, so that instances and subclasses have it and no error shows it. */
export function brandErrors(prototype: Error, brand: BrandedError): void {
  Object.defineProperty(prototype, ERROR_BRAND, { value: brand });
}

/** Whatever is thrown may be asked, also what throws when it is looked at. */
export function hasErrorBrand(thrown: unknown, brand: BrandedError): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  try {
    return (thrown as Readonly<Record<symbol, unknown>>)[ERROR_BRAND] === brand;
  } catch {
    return false;
  }
}
