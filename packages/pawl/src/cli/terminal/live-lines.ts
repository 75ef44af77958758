import type { Screen } from './screen.ts';

/** Lines at the end of the terminal that are redrawn in place. */
export class LiveLines {
  readonly #screen: Screen;
  #drawn: readonly string[] = [];

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  draw(lines: readonly string[]): void {
    this.#screen.raw(`${this.#wipe()}${lines.join('\n')}\n`);
    this.#drawn = lines;
  }

  /** Puts lines above the live ones, for good. */
  print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const below = this.#drawn;
    this.#screen.raw(`${this.#wipe()}${lines.join('\n')}\n`);
    this.#drawn = [];
    if (below.length > 0) this.draw(below);
  }

  #wipe(): string {
    return this.#drawn.length === 0 ? '' : `\u001B[${this.#drawn.length}A\u001B[0J`;
  }
}
