const MB = 1024 ** 2;

/** How much of a source is read before it counts as an attack or a mistake. */
export const BOUNDS = {
  sourceBytes: 64 * MB,
  /** Of text sources, which are read as a whole. */
  textBytes: 8 * MB,
  zipEntries: 20_000,
  /** Of everything that is unpacked from one file. */
  unpackedBytes: 256 * MB,
  /** Of parts that many slides share, such as a picture of the design, after the first time. */
  unpackedAgainBytes: 2_048 * MB,
  /** Real files are seldom packed more than twenty to one. */
  unpackedRatio: 200,
  /** Below this no ratio is suspicious. */
  unpackedFree: 2 * MB,
  xmlBytes: 12 * MB,
  xmlElements: 250_000,
  xmlDepth: 200,
  imageBytes: 32 * MB,
  imagePixels: 40_000_000,
  /** Of all images of one source together. */
  imagesBytes: 192 * MB,
  /** Of images that stay in memory; all others are read again. */
  keptImagesBytes: 32 * MB,
  slides: 2_000,
  blocks: 5_000,
  paragraphs: 2_000,
  runs: 2_000,
  textLength: 100_000,
  tableRows: 1_000,
  tableColumns: 100,
} as const;
