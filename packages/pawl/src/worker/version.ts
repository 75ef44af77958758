import { readFileSync } from 'node:fs';

/** The version of this package, which lies beside both the sources and what is built of them. */
export const ownVersion: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  }
).version;
