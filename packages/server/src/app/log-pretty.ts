import { styleText } from 'node:util';
import type { LogLevel, LogLine } from './log.ts';

type Style = Parameters<typeof styleText>[0];

const STYLES: Readonly<Record<LogLevel, Style>> = {
  debug: 'dim',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  silent: 'dim',
};

/** For people: the time of day, the level, the message, and what belongs to it. */
export function prettyLine({ time, level, message, facts }: LogLine, hasColour: boolean): string {
  const paint = (style: Style, text: string): string =>
    hasColour ? styleText(style, text, { validateStream: false }) : text;
  const told = Object.entries(facts).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${paint('dim', `${harmless(name)}=`)}${quoted(text)}`;
  });
  const head = `${paint('dim', time.slice(11, 23))} ${paint(STYLES[level], level.padEnd(5))}`;
  return `${[head, harmless(message), ...told].join(' ')}\n`;
}

function quoted(text: string): string {
  return /[\s"=]/.test(text) ? JSON.stringify(harmless(text)) : harmless(text);
}

/** What a terminal would obey, or take for another line, is shown instead. */
function harmless(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
  });
}
