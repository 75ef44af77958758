import { loadavg } from 'node:os';

export type StoreName = 'postgres' | 'sqlite';

/** What every report tells of how it was asked for. */
export interface Asked {
  /** What was typed. */
  readonly command: string;
  /** Processes that wanted a core before the benchmark did: above the cores, figures are noise. */
  readonly loadBefore: number;
}

/** What every benchmark of the stores is told. */
export interface StoresAsked extends Asked {
  readonly stores: readonly StoreName[];
  readonly isSmoke: boolean;
}

/** The options that they have in common, as `parseArgs` wants them. */
export const STORES_ARGUMENTS = {
  store: { type: 'string' },
  smoke: { type: 'boolean', default: false },
} as const;

export function askedFor(script: string, args: readonly string[]): Asked {
  const command = [`npm run ${script}`, ...(args.length === 0 ? [] : ['--', ...args])].join(' ');
  return { command, loadBefore: loadavg()[0]! };
}

/** Reads the values of options; whatever does not fit is answered with how it is used. */
export class ArgumentReader {
  readonly #usage: string;

  constructor(usage: string) {
    this.#usage = usage;
  }

  wholeNumber(name: string, text: string, min = 1): number {
    const value = Number(text);
    if (Number.isInteger(value) && value >= min) return value;
    throw this.refuse(name, `must be a whole number from ${min}`);
  }

  /** The one that is named, or all of them in the order given. */
  stores(
    name: string | undefined,
    all: readonly StoreName[] = ['postgres', 'sqlite'],
  ): readonly StoreName[] {
    if (name === undefined) return all;
    if (name === 'sqlite' || name === 'postgres') return [name];
    throw this.refuse('store', 'must be sqlite or postgres');
  }

  refuse(name: string, fault: string): TypeError {
    return new TypeError(`--${name} ${fault}\n${this.#usage}`);
  }
}
