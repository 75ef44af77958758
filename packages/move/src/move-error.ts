/** What can be wrong with the system that jobs are moved from. */
export type MoveFault =
  /** Its address is no address of such a system. */
  | 'SOURCE_ADDRESS'
  /** Nobody answers there, or not to us. */
  | 'SOURCE_UNREACHABLE'
  /** Somebody answers, and has none of its queues. */
  | 'SOURCE_EMPTY'
  /** It is there in a shape that this version does not know. */
  | 'SOURCE_UNKNOWN_SHAPE'
  /** The library that reads it is not installed, or too old. */
  | 'LIBRARY_MISSING';

/** Nothing was moved; the message says what to do. */
export class MoveError extends Error {
  readonly code: MoveFault;

  constructor(code: MoveFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MoveError';
    this.code = code;
  }
}

/** An address as it may be shown: without its password. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '…';
  return decodeURI(shown.href);
}

/** Throws unless the address has one of these schemes. */
export function requireScheme(url: string, schemes: readonly string[]): void {
  const scheme = URL.canParse(url) ? new URL(url).protocol.slice(0, -1) : null;
  if (scheme !== null && schemes.includes(scheme)) return;
  throw new MoveError(
    'SOURCE_ADDRESS',
    `--from is "${shownUrl(url)}": give an address that begins with ${schemes[0]}://`,
  );
}
