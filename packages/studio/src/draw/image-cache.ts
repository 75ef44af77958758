import type * as CanvasPackage from '@napi-rs/canvas';
import type { Image } from '@napi-rs/canvas';

/** Of all pictures that stay decoded: 64 MB of pixels. */
const PIXELS_MAX = 16_000_000;

/** Pictures that were decoded; those that many slides show are decoded once. */
export class ImageCache {
  readonly #load: typeof CanvasPackage.loadImage;
  readonly #read: (asset: string) => Promise<Uint8Array>;
  readonly #opened: Map<string, Promise<Image | null>> = new Map();
  readonly #pixels: Map<string, number> = new Map();
  #pixelsOfAll = 0;

  constructor(load: typeof CanvasPackage.loadImage, read: (asset: string) => Promise<Uint8Array>) {
    this.#load = load;
    this.#read = read;
  }

  /** Null for a picture that its own decoder refuses. */
  async open(asset: string): Promise<Image | null> {
    let image = this.#opened.get(asset);
    if (image === undefined) {
      image = this.#decode(asset);
      this.#opened.set(asset, image);
    } else {
      // The last used is the last to go.
      const pixels = this.#pixels.get(asset);
      if (pixels !== undefined && this.#pixels.delete(asset)) this.#pixels.set(asset, pixels);
    }
    try {
      return await image;
    } catch (error) {
      this.#opened.delete(asset);
      throw error;
    }
  }

  async #decode(asset: string): Promise<Image | null> {
    const bytes = Buffer.from(await this.#read(asset));
    try {
      const image = await this.#load(bytes);
      const pixels = image.width * image.height;
      this.#pixels.set(asset, pixels);
      this.#pixelsOfAll += pixels;
      this.#shrink(asset);
      return image;
    } catch {
      return null;
    }
  }

  #shrink(newest: string): void {
    for (const [asset, pixels] of this.#pixels) {
      if (this.#pixelsOfAll <= PIXELS_MAX) return;
      if (asset === newest) continue;
      this.#pixels.delete(asset);
      this.#opened.delete(asset);
      this.#pixelsOfAll -= pixels;
    }
  }
}
