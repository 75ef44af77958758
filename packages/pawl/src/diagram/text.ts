import { causeText, type DiagramMove } from './moves.ts';

export const LABEL_SIZE = 12;
export const LINE_HEIGHT = 15;

/** Wide enough for the usual sans-serif fonts: a picture cannot measure what a reader has. */
export function textWidth(text: string, size: number): number {
  return Math.ceil(text.length * size * 0.58);
}

/** The causes of a move, wrapped; a mark is needed only where the arrow itself is not dashed. */
export function labelLines(move: DiagramMove, widthMax: number): readonly string[] {
  const causes = move.causes.map((cause) => causeText(cause, !move.isNewEpoch));
  const lines: string[] = [];
  for (const [index, cause] of causes.entries()) {
    const word = index < causes.length - 1 ? `${cause},` : cause;
    const joined = `${lines.at(-1)} ${word}`;
    if (index > 0 && textWidth(joined, LABEL_SIZE) <= widthMax) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}

export function linesWidth(lines: readonly string[]): number {
  return Math.max(0, ...lines.map((line) => textWidth(line, LABEL_SIZE)));
}

/** Text for use between tags and inside quotes of XML. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
}
