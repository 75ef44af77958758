import { randomBytes } from 'node:crypto';

const TOKEN_MAX = 2n ** 63n - 1n;

/** No claim has it: tokens are not negative. */
const NO_TOKEN = '-1';

/** 63 bits of chance, as the database keeps them. */
export function randomToken(): string {
  return (randomBytes(8).readBigUInt64BE() >> 1n).toString();
}

/** A token as somebody shows it, who may show anything: what cannot be one matches none. */
export function shownToken(token: string | null | undefined): string | undefined {
  if (token === null || token === undefined) return undefined;
  return /^\d{1,19}$/.test(token) && BigInt(token) <= TOKEN_MAX ? token : NO_TOKEN;
}
