import { styleText } from 'node:util';
import type { Phase } from '../../core/phase.ts';

type Format = Parameters<typeof styleText>[0];

const WIDTH_WITHOUT_TERMINAL = 120;

const PHASE_FORMATS: Readonly<Record<Phase, Format>> = {
  held: 'gray',
  ready: 'cyan',
  leased: 'blue',
  executing: ['bold', 'blue'],
  waiting: 'yellow',
  succeeded: 'green',
  failed: 'red',
  cancelled: 'magenta',
  dead: ['bold', 'red'],
};

/**
 * The output of a command: data on stdout, messages on stderr, so that a pipe carries only data.
 * Colours depend on the stream, NO_COLOR and FORCE_COLOR.
 */
export class Screen {
  readonly #isJson: boolean;

  constructor({ isJson }: { readonly isJson: boolean }) {
    this.#isJson = isJson;
  }

  /** Data for programs instead of people. */
  get isJson(): boolean {
    return this.#isJson;
  }

  /** Lines that were written may be written over. */
  get isLive(): boolean {
    return process.stdout.isTTY && !this.#isJson;
  }

  get columns(): number {
    return process.stdout.isTTY ? process.stdout.columns : WIDTH_WITHOUT_TERMINAL;
  }

  data(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** One JSON value on a line of its own. */
  json(value: unknown): void {
    this.data(JSON.stringify(value));
  }

  /** Without a line's end: for redrawing. */
  raw(text: string): void {
    process.stdout.write(text);
  }

  talk(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  paint(format: Format, text: string): string {
    return styleText(format, text, { stream: process.stdout });
  }

  paintPhase(phase: string, text: string): string {
    const format = PHASE_FORMATS[phase as Phase];
    return format === undefined ? text : this.paint(format, text);
  }
}
