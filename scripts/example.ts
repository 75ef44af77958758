// `npm run example <file> [arguments]`: runs a program that may import from `pawl`, as users do.
import { pathToFileURL } from 'node:url';
import './run/own-sources.ts';
import { inRepository } from './run/repository.ts';

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: npm run example <file.ts> [arguments]');
  process.exit(2);
}
// The program sees the arguments as if Node had been started with it.
process.argv.splice(1, 1);
await import(pathToFileURL(inRepository(file)).href);
