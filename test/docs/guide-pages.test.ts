// The documents as the running product shows them: data that names places, never code.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Block, Inline, Target } from '../../scripts/guides/guide.ts';
import { guidePaths } from '../../scripts/guides/pages.ts';
import { anchorOf, readGuide, textOf } from '../../scripts/guides/read-guide.ts';
import { inRepository } from '../../scripts/run/repository.ts';

const paths = guidePaths();
const names = new Set(paths.keys());
const all = new Map(
  [...paths].map(([name, path]) => [
    name,
    readGuide(readFileSync(inRepository(path), 'utf8'), { path, names }),
  ]),
);

function read(text: string): readonly Block[] {
  return readGuide(text, { path: 'docs/guides/learn/first-job.md', names }).blocks;
}

function linksIn(parts: readonly Inline[]): Target[] {
  return parts.flatMap((part) => {
    if (typeof part === 'string' || part.kind === 'code') return [];
    return part.kind === 'link' ? [part.to] : linksIn(part.parts);
  });
}

function targetsOf(block: Block): Target[] {
  switch (block.kind) {
    case 'heading':
    case 'text':
      return linksIn(block.parts);
    case 'list':
      return block.items.flat().flatMap(targetsOf);
    case 'quote':
      return block.blocks.flatMap(targetsOf);
    case 'table':
      return [block.head, ...block.rows].flat().flatMap(linksIn);
    case 'code':
      return [];
  }
}

function anchorsOf(name: string): Set<string> {
  const blocks = all.get(name)!.blocks;
  return new Set(blocks.flatMap((block) => (block.kind === 'heading' ? [block.anchor] : [])));
}

test('the guides, the reference and the page of contents are all there, with titles', () => {
  for (const name of ['', 'learn/first-job', 'operate/incidents', 'reference/http', 'deploy']) {
    assert.ok(all.has(name), name);
  }
  for (const [name, { title }] of all) assert.ok(title.length > 0 && !title.includes('.md'), name);
});

test('every link from guide to guide, and to a place in one, leads somewhere', () => {
  for (const [name, { blocks }] of all) {
    for (const target of blocks.flatMap(targetsOf)) {
      if (target.kind !== 'guide') continue;
      assert.ok(all.has(target.name), `${name} leads to ${target.name}`);
      if (target.at === undefined) continue;
      assert.ok(anchorsOf(target.name).has(target.at), `${name} leads to ${target.at}`);
    }
  }
});

test('every guide can be reached from the page of contents', () => {
  const seen = new Set(['']);
  for (const name of seen) {
    for (const target of all.get(name)!.blocks.flatMap(targetsOf)) {
      if (target.kind === 'guide') seen.add(target.name);
    }
  }
  const lost = [...names].filter((name) => !seen.has(name) && !name.startsWith('decisions/'));
  assert.deepEqual(lost, []);
});

test('what is written as HTML or as a script stays text, and such links lead nowhere', () => {
  const [first, second] = read(
    '<img src=x onerror=alert(1)> <b>x</b>\n\n[go](javascript:alert(1))',
  );
  assert.equal(first?.kind, 'text');
  assert.ok(textOf(first?.kind === 'text' ? first.parts : []).includes('<img src=x onerror'));
  const [link] = second?.kind === 'text' ? linksIn(second.parts) : [];
  assert.deepEqual(link, { kind: 'file', path: 'javascript:alert(1)' });
});

test('a link is a guide, an address, or a file of the sources', () => {
  const [block] = read('[a](effects.md#x) [b](https://example.com) [c](../../../CHANGELOG.md)');
  assert.deepEqual(block?.kind === 'text' ? linksIn(block.parts) : [], [
    { kind: 'guide', name: 'learn/effects', at: 'x' },
    { kind: 'address', url: 'https://example.com' },
    { kind: 'file', path: 'CHANGELOG.md' },
  ]);
});

test('lists, tables, quotes and code keep their shape', () => {
  const blocks = read(
    '1. a\n2. b\n   - c\n\n| x | y |\n|---|---|\n| 1 | `a|b` |\n\n> q\n\n```ts run\nf();\n```\n',
  );
  assert.deepEqual(
    blocks.map(({ kind }) => kind),
    ['list', 'table', 'quote', 'code'],
  );
  const [list, , , code] = blocks;
  assert.equal(list?.kind === 'list' && list.isOrdered && list.items[1]?.[1]?.kind, 'list');
  assert.deepEqual(code, { kind: 'code', language: 'ts', text: 'f();' });
  assert.equal(anchorOf('Failing, retrying & `why`'), 'failing-retrying--why');
});
