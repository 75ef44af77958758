// Nothing that is published points to a file that is not published with it.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { test } from 'node:test';
import { linkProblems } from '../tidy/links.ts';
import { all, type Packed, pathsIn, whole } from './packed.ts';

/** Every path that a manifest names: what is exported, its types, and commands. */
function targetsOf({ manifest }: Packed): string[] {
  const exported = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  return [...exported, ...Object.values(manifest.bin ?? {})];
}

/** What a module or a declaration names by a relative path; a map is named in a comment. */
const NAMED_IN_CODE: readonly RegExp[] = [
  /(?:^|[\s;}])(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"$]+)['"]/gm,
  /new URL\(\s*['"](\.{1,2}\/[^'"$]+)['"],\s*import\.meta\.url/g,
  /^\/\/# sourceMappingURL=(?!data:)(\S+)/gm,
];

/** What a page, a style or a drawing names; addresses and parts of the page are none of ours. */
const NAMED_IN_PAGES: readonly RegExp[] = [
  /\b(?:href|src)="(?![a-z]+:|#|\/\/)([^"#?]+)/g,
  /url\(\s*['"]?(?![a-z]+:|#)([^'")]+)/g,
];

function named(text: string, patterns: readonly RegExp[]): string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, path]) => path!));
}

/** A module may be named by its source's ending where its declaration is meant. */
function isThere(root: string, path: string): boolean {
  const places = [path, path.replace(/\.[jt]s$/, '.d.ts'), posix.join(path, 'index.html')];
  return places.some((place) => existsSync(join(root, place)));
}

/** Pages of the server are served from a folder of their own: `/assets/a.js`, `/guides/a.html`. */
const SERVED = 'dist/dashboard';
/** Asked for only where this repository runs from its sources. */
const IN_WORKSPACE = '../../../dashboard/dist/';
const ROUTES = /^\/(?:docs|v1|metrics)?$/;

function missingIn(root: string, path: string): string[] {
  const isPage = /\.(?:html|css|svg)$/.test(path);
  if (!isPage && !/\.(?:js|d\.ts)$/.test(path)) return [];
  // What is bundled for browsers names its parts by the bundler's own means.
  if (!isPage && path.startsWith(SERVED)) return [];
  const text = readFileSync(join(root, path), 'utf8');
  return named(text, isPage ? NAMED_IN_PAGES : NAMED_IN_CODE).flatMap((target) => {
    if (ROUTES.test(target) || target === IN_WORKSPACE) return [];
    const from = target.startsWith('/') ? SERVED : dirname(path);
    return isThere(root, posix.join(from, target)) ? [] : [`${path}: ${target}`];
  });
}

for (const packed of all) {
  const { name } = packed.manifest;
  const root = whole.installed(name);

  test(`every file that the manifest of ${name} names is packed`, () => {
    const targets = targetsOf(packed);
    assert.ok(targets.length > 2);
    const missing = targets.filter(
      (path) => globSync(path.replace('*', '**/*'), { cwd: root })[0] === undefined,
    );
    assert.deepEqual(missing, []);
  });

  test(`every link of the README of ${name} leads to something that is packed`, () => {
    const text = readFileSync(join(root, 'README.md'), 'utf8');
    const exists = (path: string): boolean => existsSync(join(root, path));
    assert.deepEqual(linkProblems({ path: 'README.md', text }, exists), []);
  });

  test(`no module, declaration or page of ${name} names a file that is not packed`, () => {
    const paths = pathsIn(root);
    assert.deepEqual(
      paths.flatMap((path) => missingIn(root, path)),
      [],
    );
  });
}

test('a missing map, module, declaration and picture are found', () => {
  const text = "import './gone.js';\nexport { a } from './b.js';\n//# sourceMappingURL=x.js.map\n";
  assert.deepEqual(named(text, NAMED_IN_CODE), ['./gone.js', './b.js', 'x.js.map']);
  const page = '<a href="https://a.test/x">x</a><img src="a.webp"><a href="#b">b</a>';
  assert.deepEqual(named(page, NAMED_IN_PAGES), ['a.webp']);
});
