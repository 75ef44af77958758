import type { Asset } from '../deck/deck.ts';

/** What an image says of itself. */
export type ImageSize = Pick<Asset, 'mediaType' | 'width' | 'height'>;

const PIXELS_MAX = 40_000_000;
const SIDE_MAX = 32_768;

/** Whether decoding it would take more memory than any slide is worth. */
export function isHuge({ width, height }: ImageSize): boolean {
  return width > SIDE_MAX || height > SIDE_MAX || width * height > PIXELS_MAX;
}

/** The kind and size of an image, without decoding it; null for kinds that a deck does not know. */
export function imageSizeOf(content: Uint8Array): ImageSize | null {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const size = sizeOf(bytes);
  return size === null || size.width < 1 || size.height < 1 ? null : size;
}

function sizeOf(bytes: Buffer): ImageSize | null {
  if (bytes.length < 30) return null;
  if (bytes.readUInt32BE(0) === 0x89504e47 && bytes.toString('latin1', 12, 16) === 'IHDR') {
    const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    return { mediaType: 'image/png', width, height };
  }
  if (/^GIF8[79]a/.test(bytes.toString('latin1', 0, 6))) {
    const [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
    return { mediaType: 'image/gif', width, height };
  }
  if (bytes.readUInt16BE(0) === 0xffd8) return jpegSize(bytes);
  const isWebp =
    bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? webpSize(bytes) : null;
}

/** Frame headers are C0 to CF but for three that are something else. */
function jpegSize(bytes: Buffer): ImageSize | null {
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return { mediaType: 'image/jpeg', width, height };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function webpSize(bytes: Buffer): ImageSize | null {
  const mediaType = 'image/webp';
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { mediaType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ': {
      const [width, height] = [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
      return { mediaType, width, height };
    }
    default:
      return null;
  }
}
