import { createHash } from 'node:crypto';
import { type ImageSize, imageSizeOf, isHuge } from '../work/image-size.ts';
import { refuse } from './refusal.ts';

/** An image that was found in a source, measured without being decoded. */
export interface FoundImage extends ImageSize {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** The image in some bytes; null for kinds that a deck does not know. */
export function imageOf(bytes: Uint8Array): FoundImage | null {
  const size = imageSizeOf(bytes);
  if (size === null) return null;
  if (isHuge(size)) {
    const what = `an image of ${size.width} × ${size.height} pixels is too large`;
    throw refuse('CONVERT_TOO_LARGE', what);
  }
  return { ...size, sha256: createHash('sha256').update(bytes).digest('hex'), bytes };
}
