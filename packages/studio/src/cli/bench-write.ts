import { type Session, UsageError } from 'pawl/cli';

export const WRITE = 'confirm that the benchmark may write its jobs to this server';

/** A measurement leaves jobs behind: on a server that somebody works with it must be wanted. */
export function requireWrite(
  { url }: Pick<Session, 'url'>,
  { write }: { readonly write?: true },
  what: string,
): void {
  if (write === true) return;
  throw new UsageError(`this ${what} on ${url}: add --write if that is what you want`);
}
