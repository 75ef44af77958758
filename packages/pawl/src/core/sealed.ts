/** Named in every payload that this package's codec has encoded. */
export const SEALED_VERSION = 'pawl1';

const SEALED = new RegExp(`^${SEALED_VERSION}\\.[\\w-]{1,32}\\.[\\w-]{48,}$`);

/** Whether a text was encoded by the codec: then nobody but its owner can read, cut or mend it. */
export function isSealedText(text: string): boolean {
  return text.startsWith(`${SEALED_VERSION}.`) && SEALED.test(text);
}

/** Encoding makes three bytes four, and adds a key's name, a nonce and a tag. */
export function sealedBytesMax(plainBytesMax: number): number {
  return Math.ceil((plainBytesMax * 4) / 3) + 256;
}
