/** The first sentence under every generated page's title. */
export function madeOf(source: string): string {
  return `Made by \`npm run reference\` from ${source}; a test keeps it current.`;
}

/** A Markdown table; a bar inside a cell would end it. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(titles), `|${titles.map(() => '---').join('|')}|`, ...rows.map(line)];
}

export function code(text: string): string {
  return `\`${text}\``;
}
