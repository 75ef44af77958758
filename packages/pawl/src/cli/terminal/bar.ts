const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of cells, filled to a share between 0 and 1, in steps of an eighth of a cell. */
export function barText(share: number, cells: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * cells * 8);
  const full = Math.floor(eighths / 8);
  const filled = '█'.repeat(full) + (EIGHTHS[eighths % 8] ?? '');
  return filled + '░'.repeat(cells - filled.length);
}

/** A stretch from one place to another on a line of so many cells: at least one cell is seen. */
export function stretchText(from: number, to: number, cells: number): string {
  const start = Math.min(cells - 1, Math.floor(from * cells));
  const end = Math.max(start + 1, Math.min(cells, Math.ceil(to * cells)));
  return ' '.repeat(start) + '━'.repeat(end - start) + ' '.repeat(cells - end);
}
