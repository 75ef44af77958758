// What the project is to be: from flags, and from questions where there is a terminal.
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import type { ProjectOptions, Store } from './create-project.ts';

/** A new project and its folder. */
export interface Answers extends ProjectOptions {
  readonly folder: string;
}

const STORES: readonly Store[] = ['sqlite', 'postgres'];

type Ask = (question: string, fallback: string) => Promise<string>;

function storeOf(text: string): Store {
  const store = STORES.find((name) => name === text);
  if (store === undefined) {
    throw new Error(`--store ${text} is not known: give ${STORES.join(' or ')}.`);
  }
  return store;
}

function flagsIn(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    allowNegative: true,
    options: {
      store: { type: 'string' },
      dashboard: { type: 'boolean' },
      yes: { type: 'boolean', short: 'y' },
      help: { type: 'boolean', short: 'h' },
    },
  });
}

/** Asks at the terminal; without one, or with `--yes`, every answer is the default. */
async function asking<Result>(isAsking: boolean, use: (ask: Ask) => Promise<Result>) {
  if (!isAsking) return use(async (_question, fallback) => fallback);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await use(async (question, fallback) => {
      const answer = await terminal.question(`${question} (default: ${fallback}) `);
      return answer.trim() === '' ? fallback : answer.trim();
    });
  } finally {
    terminal.close();
  }
}

/**
 * The answers to all questions; null where help is asked for.
 * @throws Error for an unknown flag or value, with what is known.
 */
export async function readAnswers(args: readonly string[]): Promise<Answers | null> {
  const { values, positionals } = flagsIn(args);
  if (values.help === true) return null;
  if (positionals.length > 1) {
    throw new Error(`one folder is created at a time, and ${positionals.length} are named.`);
  }
  const isAsking = values.yes !== true && process.stdin.isTTY && process.stdout.isTTY;
  return asking(isAsking, async (ask) => {
    const folder = positionals[0] ?? (await ask('Folder of the new project?', 'pawl-app'));
    const store = storeOf(values.store ?? (await ask('Store, sqlite or postgres?', 'sqlite')));
    const dashboard = values.dashboard ?? isYes(await ask('HTTP API and dashboard?', 'yes'));
    return { folder, store, dashboard };
  });
}

function isYes(text: string): boolean {
  return /^y(?:es)?$/i.test(text);
}
