// Each rule of the tidy test is shown able to fail, on planted sources.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ambientProblems, sleepProblems } from './ambient.ts';
import { columnsMax, functionProblems, linesMax, nameProblems, sizeProblems } from './budgets.ts';
import { layerProblems } from './layers.ts';
import { engineContextProblems } from './engine-context.ts';
import { linkProblems } from './links.ts';
import { publicApiProblems } from './public-api.ts';
import { codeOf, importsOf } from './source.ts';
import { wayOutProblems } from './way-out.ts';

const DELIVER = 'packages/server/src/webhooks/deliver.ts';

const named = (specifier: string): string => `import { a } from '${specifier}';\n`;

describe('reading source', () => {
  test('comments, strings and regular expressions are not code', () => {
    const text = 'a /* b */ + "c\\"c" // d\nconst e = /f"[/]g/u; h / i; `j ${k({ l: "m" })} n`';
    const words = codeOf(text).match(/\w+/g);
    assert.deepEqual(words, ['a', 'const', 'e', 'u', 'h', 'i', 'k', 'l']);
    assert.equal(codeOf(text).length, text.length);
  });

  test('every form of import is seen, and none in text or comments', () => {
    const text = [
      "import type { A } from './a.ts';",
      "import './b.ts';",
      "export * from './c.ts';",
      "const d = await import('./d.ts');",
      '// import "./e.ts";',
      'const f = "import \'./f.ts\'";',
    ].join('\n');
    const found = importsOf(text).map(({ specifier, line }) => `${line} ${specifier}`);
    assert.deepEqual(found.sort(), ['1 ./a.ts', '2 ./b.ts', '3 ./c.ts', '4 ./d.ts']);
  });
});

describe('layers', () => {
  const allowed: [string, string][] = [
    ['packages/pawl/src/core/job.ts', './phase.ts'],
    ['packages/pawl/src/lifecycles/document.ts', '../core/lifecycle.ts'],
    ['packages/pawl/src/store/sqlite/store.ts', '../store.ts'],
    ['packages/pawl/src/engine/claim.ts', './sweeps/due.ts'],
    ['packages/pawl/src/engine/sweeps/due.ts', '../claim.ts'],
    ['packages/pawl/src/cli/main.ts', '../client/client.ts'],
    ['packages/server/src/http/server.ts', 'pawl/internal/engine/engine'],
    ['packages/pawl/src/index.ts', './cli/main.ts'],
    ['packages/pawl/src/core/job.test.ts', '../../../../test/support/anything.ts'],
    ['packages/pawl/src/core/job.ts', 'node:crypto'],
  ];
  const refused: [string, string][] = [
    ['packages/pawl/src/core/job.ts', '../lifecycles/document.ts'],
    ['packages/pawl/src/core/job.ts', '../store/store.ts'],
    ['packages/pawl/src/store/sqlite/store.ts', '../postgres/store.ts'],
    ['packages/pawl/src/store/store.ts', './sqlite/store.ts'],
    ['packages/pawl/src/engine/claim.ts', '../store/memory/store.ts'],
    ['packages/server/src/http/server.ts', '@pawl/ogc'],
    ['packages/ogc/src/model/job.ts', '../../../pawl/src/core/job.ts'],
    ['packages/pawl/src/cli/main.ts', '../index.ts'],
    ['packages/server/src/app/start.ts', '../../../../test/support/anything.ts'],
    ['packages/server/src/app/start.ts', '../novelty/thing.ts'],
    ['packages/pawl/src/novelty/thing.ts', '../core/job.ts'],
    ['packages/pawl/src/stray.ts', './core/job.ts'],
  ];
  for (const [path, specifier] of allowed) {
    test(`${path} may import ${specifier}`, () => {
      assert.deepEqual(layerProblems({ path, text: named(specifier) }), []);
    });
  }
  for (const [path, specifier] of refused) {
    test(`${path} may not import ${specifier}`, () => {
      assert.equal(layerProblems({ path, text: named(specifier) }).length, 1);
    });
  }
});

describe('budgets', () => {
  test('a file or a line over its budget is reported, one at its budget is not', () => {
    const path = 'packages/pawl/src/core/job.ts';
    assert.deepEqual(sizeProblems({ path, text: 'x\n'.repeat(linesMax) }), []);
    assert.equal(sizeProblems({ path, text: 'x\n'.repeat(linesMax + 1) }).length, 1);
    assert.deepEqual(sizeProblems({ path, text: 'x'.repeat(columnsMax) }), []);
    assert.equal(sizeProblems({ path, text: 'x'.repeat(columnsMax + 1) }).length, 1);
  });

  test('names without meaning are reported', () => {
    for (const name of ['types', 'utils', 'lib', 'helpers', 'common', 'misc']) {
      assert.equal(nameProblems({ path: `packages/pawl/src/core/${name}.ts`, text: '' }).length, 1);
    }
    assert.deepEqual(nameProblems({ path: 'packages/pawl/src/core/job-types.ts', text: '' }), []);
  });

  test('a function over 60 lines is reported, a group of tests is not', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-tidy-'));
    const path = join(folder, 'planted.ts');
    const lines = (count: number): string => '  work();\n'.repeat(count);
    const read = (): string => readFileSync(path, 'utf8');
    try {
      writeFileSync(path, `function long() {\n${lines(59)}}\n`);
      assert.equal(functionProblems([path], read).length, 1);
      writeFileSync(path, `function fits() {\n${lines(58)}}\n`);
      assert.deepEqual(functionProblems([path], read), []);
      writeFileSync(
        path,
        `// A→B “quoted”\ndescribe('A→B', { x: f(1) }, () => {\n${lines(90)}});\n`,
      );
      assert.deepEqual(functionProblems([path], read), []);
      writeFileSync(path, `describe('A', g(() => {\n${lines(90)}}));\n`);
      assert.equal(functionProblems([path], read).length, 1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('time and chance', () => {
  const ambient = [
    'Date.now()',
    'new Date()',
    'new Date',
    'Date()',
    'Math.random()',
    'performance.now()',
    'globalThis.performance.now()',
    'setTimeout(f, 1)',
    'globalThis.setTimeout(f, 1)',
    'setInterval(f, 1)',
    'setImmediate(f)',
    'crypto.randomUUID()',
    'randomBytes(4)',
    'process.hrtime.bigint()',
    "fetch('x')",
    '`${Date.now()}`',
    "import * as timers from 'node:timers/promises'",
    "import { performance as p } from 'node:perf_hooks'",
  ];
  const harmless = [
    'new Date(0)',
    'new Date(\n  now,\n)',
    'clock.setTimeout(f, 1)',
    'cache.fetch(key)',
    'const performanceOf = 1',
    '// Date.now()',
    "'Math.random()'",
    'type When = Date',
  ];
  for (const text of ambient) {
    test(`the engine may not say ${text}`, () => {
      assert.equal(ambientProblems({ path: 'packages/pawl/src/engine/claim.ts', text }).length, 1);
      assert.deepEqual(ambientProblems({ path: 'packages/pawl/src/worker/loop.ts', text }), []);
    });
  }
  for (const text of harmless) {
    test(`the engine may say ${JSON.stringify(text)}`, () => {
      assert.deepEqual(ambientProblems({ path: 'packages/pawl/src/engine/claim.ts', text }), []);
    });
  }

  test('a sleep in a test is reported, in code under test it is not', () => {
    for (const text of ['setTimeout(f, 1)', "import { x } from 'node:timers/promises'"]) {
      assert.equal(sleepProblems({ path: 'packages/pawl/src/core/job.test.ts', text }).length, 1);
      assert.equal(sleepProblems({ path: 'test/spec/world.ts', text }).length, 1);
      assert.deepEqual(sleepProblems({ path: 'test/support/eventually.ts', text }), []);
      assert.deepEqual(sleepProblems({ path: 'packages/pawl/src/worker/loop.ts', text }), []);
    }
  });
});

describe('the one way out', () => {
  const requests = [
    "await fetch('https://example.org')",
    'globalThis.fetch(url)',
    'new WebSocket(url)',
    "import { request } from 'node:https'",
    "import { Agent } from 'undici'",
    "const http = await import('node:http')",
    "import { createServer, request } from 'node:http'",
    "import http from 'node:http'",
  ];
  const harmless = [
    'outgoing.fetch(url)',
    "import type { IncomingMessage } from 'node:http'",
    "import type {\n  IncomingMessage,\n} from 'node:http'",
    "import { createServer, type Server } from 'node:http'",
    'class A { async fetch(): Promise<void> {} }',
    'const a = { fetch(url) { return b } }',
    '// fetch(url)',
  ];
  for (const text of requests) {
    test(`only the guarded client may say ${text}`, () => {
      assert.equal(wayOutProblems({ path: DELIVER, text }).length, 1);
      assert.deepEqual(
        wayOutProblems({ path: 'packages/server/src/outgoing/outgoing.ts', text }),
        [],
      );
      assert.deepEqual(wayOutProblems({ path: 'test/spec/http.test.ts', text }), []);
    });
  }
  for (const text of harmless) {
    test(`anybody may say ${JSON.stringify(text)}`, () => {
      assert.deepEqual(wayOutProblems({ path: DELIVER, text }), []);
    });
  }
});

describe("the engine's context", () => {
  const reaching = [
    "import type { EngineContext } from '../engine/context.ts';",
    'const context = openContext({ store });',
    'const { store } = services.engine.context;',
  ];
  for (const text of reaching) {
    test(`${JSON.stringify(text)} is for who puts an engine together`, () => {
      const count = (path: string): number => engineContextProblems({ path, text }).length;
      assert.equal(count('packages/server/src/http/jobs.ts'), 1);
      assert.equal(count('packages/pawl/src/pawl/payloads.ts'), 1);
      assert.equal(count('packages/pawl/src/engine/claim.ts'), 0);
      assert.equal(count('packages/server/src/app/platform.ts'), 0);
      assert.equal(count('test/spec/http.test.ts'), 0);
    });
  }
  test('another context may be read, and this one be spoken of', () => {
    const text = '// what the EngineContext has\nconst { log } = attempt.context;';
    assert.deepEqual(engineContextProblems({ path: 'packages/server/src/http/jobs.ts', text }), []);
  });
});

describe('links', () => {
  const exists = (path: string): boolean => ['README.md', 'docs/guide/learn.md'].includes(path);
  const problems = (text: string): string[] => linkProblems({ path: 'docs/a.md', text }, exists);

  test('a broken link is reported', () => {
    assert.equal(problems('see [it](guide/gone.md)').length, 1);
    assert.equal(problems('see [it][x]\n\n[x]: ../GONE.md').length, 1);
    assert.equal(problems('![picture](picture.svg "title")').length, 1);
  });

  test('links that lead somewhere, outside, within the page or that are code are not', () => {
    assert.deepEqual(problems('[a](../README.md#start) [b](guide/learn.md) [c](/README.md)'), []);
    assert.deepEqual(problems('[a](https://example.org/x) [b](#here) `[c](gone.md)`'), []);
    assert.deepEqual(problems('```md\n[c](gone.md)\n```\n'), []);
  });
});

describe('the public API in what users read', () => {
  const inner = [
    "await pawl.engine.job({ id: 'a' })",
    'const { engine } = pawl;',
    "const caller = { tenant: 'default' };",
    'registry.type(SHARED_TENANT)',
    'const value = JSON.parse(job.result)',
    'const value = JSON.parse((await job.snapshot()).input as string)',
    "const ENDS = ['succeeded', 'failed', 'cancelled', 'dead'];",
    "isEnd = phase === 'failed' || phase === 'dead'",
    "import { Engine } from 'pawl/internal/engine/engine';",
    "import { Engine } from 'pawl/engine';",
  ];
  const harmless = [
    'const event = JSON.parse(body) as object;',
    'console.log(await job.result());',
    "await pawl.jobs({ phase: 'failed' });",
    "import { openPawl } from 'pawl';",
    "import { openWorld } from 'pawl/testing';",
    '// callers of the engine',
    "console.log('the engine of a caller');",
  ];
  for (const text of inner) {
    test(`examples and guides may not say ${text}`, () => {
      assert.equal(publicApiProblems({ path: 'examples/a/main.ts', text }).length, 1);
      const page = `# A\n\n\`\`\`ts run\n${text}\n\`\`\`\n`;
      const [problem = ''] = publicApiProblems({ path: 'docs/guides/learn/a.md', text: page });
      assert.match(problem, /^docs\/guides\/learn\/a\.md:4: /);
      assert.deepEqual(publicApiProblems({ path: 'test/spec/a.test.ts', text }), []);
    });
  }
  for (const text of harmless) {
    test(`examples and guides may say ${text}`, () => {
      assert.deepEqual(publicApiProblems({ path: 'examples/a/main.ts', text }), []);
    });
  }

  test('programs of other libraries, and prose, are not looked at', () => {
    const path = 'docs/guides/migrate/a.md';
    const page = 'The engine of a caller.\n\n```ts theirs\nconst caller = boss.engine;\n```\n';
    assert.deepEqual(publicApiProblems({ path, text: page }), []);
  });
});
