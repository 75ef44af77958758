import { isUuid } from '../../core/uuid.ts';
import { StoreError } from '../store-error.ts';

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function uuidOfBytes(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < 16; index++) {
    if (index === 4 || index === 6 || index === 8 || index === 10) text += '-';
    text += HEX[bytes[index]!]!;
  }
  return text;
}

export function uuidOfHex(hex: string): string {
  const [time, middle] = [hex.slice(0, 8), hex.slice(8, 12)];
  return `${time}-${middle}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The stored form of an id that is looked for; null where no stored id can be equal to it. */
export function bytesToFind(id: string): Uint8Array | null {
  return isUuid(id) ? Buffer.from(id.replaceAll('-', ''), 'hex') : null;
}

/** The stored form of an id that is written. */
export function bytesToStore(id: string): Uint8Array {
  const bytes = bytesToFind(id);
  if (bytes === null) throw new StoreError('refused', `"${id}" is not a UUID in lower case`);
  return bytes;
}
