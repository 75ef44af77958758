/** One message of a stream; without data it only moves the reader's cursor on. */
export interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data?: unknown;
}

/** A line end inside a field would begin a field of its own. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, ' ');
}

/** The text of a message; JSON has no line ends of its own. */
export function frameOf({ id, event, data }: Message): string {
  const lines: string[] = [];
  if (id !== undefined) lines.push(`id: ${oneLine(id)}`);
  if (event !== undefined) lines.push(`event: ${oneLine(event)}`);
  if (data !== undefined) lines.push(`data: ${JSON.stringify(data)}`);
  return `${lines.join('\n')}\n\n`;
}
