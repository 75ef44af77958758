/** A table of Markdown: the heads, then the lines. */
export function tableOf(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');
}

/** A whole number with commas. */
export function round(value: number): string {
  return Math.round(value).toLocaleString('en');
}
