// The documentation as it is built: every page there, every link leading somewhere.
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findSections } from '../../packages/dashboard/src/site/find-sections.ts';
import { buildDashboard } from '../../scripts/build-dashboard.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { addVersion } from '../../scripts/site/add-version.ts';
import { highlighted } from '../../scripts/site/highlight.ts';
import { anchorOf, readDocument } from '../../scripts/site/markdown.ts';
import { sitePages } from '../../scripts/site/pages.ts';
import type { SearchIndex } from '../../scripts/site/search-index.ts';
import { siteFrame } from '../../scripts/site/write-site.ts';

const built = inRepository('packages/dashboard/dist/guides');
const pages = new Map<string, string>();
const folder = mkdtempSync(join(tmpdir(), 'pawl-site-'));

before(async () => {
  assert.equal(await buildDashboard(), null);
  for (const path of globSync('**/*.html', { cwd: built })) {
    pages.set(path.replaceAll('\\', '/'), readFileSync(join(built, path), 'utf8'));
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

function targetsOf(html: string): string[] {
  return [...html.matchAll(/ (?:href|src|srcset)="([^"]*)"/g)].map(([, target]) => target!);
}

/** What is wrong with a link of a page, or nothing. */
function problemOf(page: string, target: string): string[] {
  if (/^(?:https?|mailto):/.test(target)) return [];
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? page : posix.join(posix.dirname(page), file);
  if (path.startsWith('../')) return [`${page}: ${target} leads out of the site`];
  if (!existsSync(join(built, path))) return [`${page}: ${target} does not exist`];
  const isPlace = anchor === undefined || pages.get(path)?.includes(` id="${anchor}"`);
  return isPlace ? [] : [`${page}: ${path} has no place "${anchor}"`];
}

describe('the site', () => {
  test('every document is a page with a title of its own', () => {
    for (const name of ['index', 'learn/first-job', 'reference/http', 'operate/deployment']) {
      assert.ok(pages.has(`${name}.html`), name);
    }
    for (const [name, path] of sitePages()) {
      const [, title] = /<title>([^<]+)<\/title>/.exec(pages.get(`${name}.html`) ?? '') ?? [];
      assert.ok(title !== undefined && !title.includes('.md'), `${path}: ${title}`);
    }
  });

  test('every link leads to a page, a place or a file of the site', () => {
    const problems = [...pages].flatMap(([page, html]) =>
      targetsOf(html).flatMap((target) => problemOf(page, target)),
    );
    assert.deepEqual(problems, []);
  });

  test('every page can be reached from the first one', () => {
    const seen = new Set(['index.html']);
    for (const page of seen) {
      for (const target of targetsOf(pages.get(page) ?? '')) {
        const path = posix.join(posix.dirname(page), target.split('#')[0]!);
        if (pages.has(path)) seen.add(path);
      }
    }
    assert.deepEqual(
      [...pages.keys()].filter((page) => !seen.has(page)),
      ['404.html'],
    );
  });

  test('pages have no scripts and styles in them, so that a strict policy holds', () => {
    for (const [page, html] of pages) {
      assert.doesNotMatch(html, /<script>|<style|\son\w+="|\sstyle="/, page);
    }
  });

  test('search finds guides before reasons, and every word must occur', () => {
    const index = JSON.parse(readFileSync(join(built, 'search.json'), 'utf8')) as SearchIndex;
    const first = (query: string): string | undefined => findSections(index, query)[0]?.href;
    assert.match(first('enqueue transaction') ?? '', /transaction/);
    assert.match(first('heartbeatMs') ?? '', /^reference\//);
    assert.equal(first('stages and checkpoints'), 'learn/stages-and-checkpoints.html');
    assert.equal(first('webhooks'), 'recipes/webhooks.html');
    assert.deepEqual(findSections(index, 'webhooks xyzzy-not-there'), []);
    assert.deepEqual(findSections(index, '  '), []);
  });
});

describe('versions', () => {
  test('a folder keeps its versions, the newest first, and each page knows them all', () => {
    const frame = siteFrame();
    for (const version of ['0.9.0', '0.10.0-rc.1', '0.10.0']) {
      addVersion(folder, { built, frame: { ...frame, version }, base: '/docs' });
    }
    const facts = readFileSync(join(folder, '0.9.0/site.json'), 'utf8');
    assert.deepEqual(JSON.parse(facts), {
      versions: ['0.10.0', '0.10.0-rc.1', '0.9.0'],
      dashboard: null,
    });
    assert.match(readFileSync(join(folder, 'index.html'), 'utf8'), /url=0\.10\.0\/index\.html/);
    assert.match(
      readFileSync(join(folder, '404.html'), 'utf8'),
      /href="\/docs\/0\.10\.0\/site\.css"/,
    );
  });
});

describe('a document', () => {
  const read = (text: string): string => {
    const names = new Set(sitePages().keys());
    return readDocument(text, { path: 'docs/guides/learn/first-job.md', names }).html;
  };

  test('what is written as HTML or as a script stays text, and such links lead nowhere', () => {
    const html = read('<img src=x onerror=alert(1)> <b>x</b>\n\n[go](javascript:alert(1))');
    assert.match(html, /&lt;img src=x onerror/);
    assert.doesNotMatch(html, /<img|<b>|href="javascript/i);
  });

  test('a picture with a dark variant is shown, and one with anything else stays text', () => {
    const picture = (more = ''): string =>
      '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="../../images/a.webp">\n' +
      `  <img src="../../images/b.webp" alt="A job"${more}>\n</picture>\n`;
    const html = read(picture());
    assert.match(html, /<source media="[^"]+" srcset="\.\.\/files\/a\.webp">/);
    assert.match(html, /<img src="\.\.\/files\/b\.webp" alt="A job">/);
    assert.doesNotMatch(read(picture(' onerror="alert(1)"')), /<picture|<img/);
  });

  test('a link is a page, an address, a file of the site, or a file of the repository', () => {
    const html = read(
      '[a](effects.md#x) [b](https://example.com) [c](../../../package.json) ' +
        '[d](../../reference/deck.schema.json) [e](../../decisions)',
    );
    assert.match(html, /href="\.\.\/learn\/effects\.html#x"/);
    assert.match(html, /href="https:\/\/example\.com" rel="noreferrer"/);
    assert.match(html, /title="In the repository: package\.json"/);
    assert.match(html, /href="\.\.\/files\/deck\.schema\.json"/);
    assert.match(html, /href="\.\.\/decisions\/index\.html"/);
  });

  test('headings that are equal have places of their own', () => {
    assert.match(read('## A\n\n## A\n'), /id="a"[\s\S]*id="a-1"/);
    assert.equal(anchorOf('Failing, retrying & `why`'), 'failing-retrying--why');
  });

  test('programs are coloured and stay what they are', () => {
    const html = highlighted("const a = 'x < y'; // why\n", 'ts');
    assert.equal(
      html,
      '<i class="k">const</i> a = <i class="s">\'x &lt; y\'</i>; <i class="c">// why</i>\n',
    );
    assert.equal(highlighted('a < b', 'text'), 'a &lt; b');
  });
});
