const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `12 bytes`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const count = bytes / 1_000 ** power;
  return `${count < 10 && power > 0 ? count.toFixed(1) : Math.round(count)} ${UNITS[power]}`;
}
