// Where a long run has come to, in a file, so that it can be stopped and taken up again.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

/** What a run was told; another run's file is not taken up. */
export type Settings = Readonly<Record<string, string | number>>;

interface Saved<State> {
  readonly settings: Settings;
  readonly state: State;
}

export class Checkpoint<State> {
  readonly #path: string | null;
  readonly #settings: Settings;

  /** Without a path nothing is kept. */
  constructor(path: string | null, settings: Settings) {
    this.#path = path;
    this.#settings = settings;
  }

  read(): State | null {
    if (this.#path === null || !existsSync(this.#path)) return null;
    const saved = JSON.parse(readFileSync(this.#path, 'utf8')) as Saved<State>;
    if (isDeepStrictEqual(saved.settings, this.#settings)) return saved.state;
    const was = JSON.stringify(saved.settings);
    throw new Error(`${this.#path} is of a run with ${was}: give the same, or another file`);
  }

  /** Whole or not at all: a run may be killed at any moment. */
  write(state: State): void {
    if (this.#path === null) return;
    const saved: Saved<State> = { settings: this.#settings, state };
    writeFileSync(`${this.#path}.new`, JSON.stringify(saved));
    renameSync(`${this.#path}.new`, this.#path);
  }
}
