import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  codeFolders,
  foreignFolders,
  inRepository,
  repositoryFolder,
} from '../../scripts/run/repository.ts';
import { ambientProblems, sleepProblems } from './ambient.ts';
import { bannedPhraseProblems } from './banned-phrases.ts';
import { engineContextProblems } from './engine-context.ts';
import { functionProblems, nameProblems, sizeProblems } from './budgets.ts';
import { layerProblems } from './layers.ts';
import { linkProblems } from './links.ts';
import { mapProblems } from './map.ts';
import { pluginImportProblems } from './plugin-imports.ts';
import { publicApiProblems } from './public-api.ts';
import type { SourceFile } from './source.ts';
import { wayOutProblems } from './way-out.ts';

function filesAt(patterns: string[]): SourceFile[] {
  return globSync(patterns, { cwd: repositoryFolder, exclude: foreignFolders })
    .filter((path) => !path.includes('.generated.'))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(inRepository(path), 'utf8') }));
}

const sources = filesAt(codeFolders.map((folder) => `${folder}/**/*.{ts,mts,js,mjs}`));
const pages = filesAt(['packages/dashboard/src/**/*.tsx']);
const documents = filesAt(['*.md', 'docs/**/*.md', `{${codeFolders.join(',')}}/**/*.md`]);

function assertNone(problems: string[]): void {
  assert.equal(problems.length, 0, `\n${problems.join('\n')}`);
}

test('folders import only from layers below them', () => {
  assertNone(sources.flatMap(layerProblems));
});

test('plug-ins import the public entries of pawl alone', () => {
  assertNone(sources.flatMap(pluginImportProblems));
});

test('files and lines stay within their budgets', () => {
  assertNone(sources.flatMap(sizeProblems));
});

test('functions stay within their budget', () => {
  const paths = sources.map(({ path }) => inRepository(path));
  assertNone(functionProblems(paths, (path) => readFileSync(path, 'utf8')));
});

test('file names say what is inside', () => {
  assertNone(sources.flatMap(nameProblems));
});

test('core, lifecycles, engine and checker take time and chance as parameters', () => {
  assertNone(sources.flatMap(ambientProblems));
});

test('all outgoing HTTP goes through the one guarded client', () => {
  assertNone(sources.flatMap(wayOutProblems));
});

test('only the engine and where it is put together know its context', () => {
  assertNone(sources.flatMap(engineContextProblems));
});

test('tests wait for signals, never for time', () => {
  assertNone(sources.flatMap(sleepProblems));
});

test('the map in ARCHITECTURE.md shows the folders as they are', () => {
  const map = documents.find(({ path }) => path === 'ARCHITECTURE.md')!;
  assertNone(mapProblems(map.text));
});

test('every relative link in a document leads somewhere', () => {
  const exists = (path: string): boolean => existsSync(inRepository(path));
  assertNone(documents.flatMap((document) => linkProblems(document, exists)));
});

test('README, guides and examples use nothing but the public API', () => {
  assertNone([...sources, ...documents].flatMap(publicApiProblems));
});

test('what people read is free of banned phrases: the glossary decides the words', () => {
  assertNone([...sources, ...pages, ...documents].flatMap(bannedPhraseProblems));
});
