import { readFile } from 'node:fs/promises';
import type { Timers } from 'pawl/define';
import type { EngineLog } from 'pawl/plugin';
import { type GatewayConfiguration, NO_PROVIDERS, readConfiguration } from './configuration.ts';

export interface ConfigurationFileOptions {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timers: Timers;
  readonly log: EngineLog;
  /** How soon a change is seen, at the latest. */
  readonly everyMs?: number;
}

const EVERY_MS = 1_000;

/**
 * The providers file, looked at again and again: by its content, because files that are swapped by
 * a link or written within one tick of the clock do not show it otherwise. A file that cannot be
 * read leaves the last good one in force.
 */
export class ConfigurationFile {
  readonly #options: ConfigurationFileOptions;
  readonly #stopping = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  #seen: string | null = null;
  #complaint: string | null = null;
  #current: GatewayConfiguration = NO_PROVIDERS;

  constructor(options: ConfigurationFileOptions) {
    this.#options = options;
  }

  get current(): GatewayConfiguration {
    return this.#current;
  }

  /** Reads it for the first time: throws where it is broken, as there is nothing to go on with. */
  async open(): Promise<void> {
    const text = await readFile(this.#options.path, 'utf8');
    this.#current = readConfiguration(text, this.#options.env);
    this.#seen = text;
  }

  /** Looks once; true where something else holds from now on. */
  async runOnce(): Promise<boolean> {
    const { path, env } = this.#options;
    try {
      const text = await readFile(path, 'utf8');
      if (text === this.#seen) return false;
      this.#seen = text;
      this.#current = readConfiguration(text, env);
      this.#complaint = null;
      return true;
    } catch (error) {
      this.#complain((error as Error).message);
      return false;
    }
  }

  start(): void {
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { timers, everyMs = EVERY_MS } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await timers.sleep(everyMs, signal);
      if (!signal.aborted) await this.runOnce();
    }
  }

  /** Said once, not at every look. */
  #complain(error: string): void {
    if (error === this.#complaint) return;
    this.#complaint = error;
    const { path, log } = this.#options;
    log.warn('the providers file is invalid; the previous one stays in use', {
      path,
      error,
    });
  }
}
