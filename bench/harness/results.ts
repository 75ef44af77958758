import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('../results/', import.meta.url);

/** Tells whoever waits how far it is, apart from the report. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Keeps what a whole run has shown under `bench/results`. */
export function keepResult(name: string, text: string): void {
  mkdirSync(FOLDER, { recursive: true });
  const file = new URL(name, FOLDER);
  writeFileSync(file, text);
  say(`written to ${fileURLToPath(file)}`);
}
