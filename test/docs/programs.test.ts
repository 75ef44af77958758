// The twelve programs of docs/guides/learn/twelve-programs.md run on both stores, their twins on
// what they need; both say the same, and none of ours is longer.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { installPeers } from '../../scripts/peers/install.ts';
import { findRedis, startRedis } from '../../scripts/peers/redis.ts';
import '../../scripts/run/own-sources.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { openPawl } from 'pawl';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { codeOf } from '../tidy/source.ts';
import { type Block, blocksIn } from './blocks.ts';
import { type Program, PROGRAMS, saidBy } from './program-runs.ts';

const PAGE = 'docs/guides/learn/twelve-programs.md';
const page = readFileSync(inRepository(PAGE), 'utf8');
const folder = inRepository('examples/programs');
const hooks = [inRepository('scripts/run/own-sources.ts')];
const redisPath = await findRedis();

const sections = new Map(
  page.split(/^## /m).map((text) => {
    const [title = '', ...rest] = text.split('\n');
    return [title, blocksIn(PAGE, rest.join('\n')).filter(({ language }) => language === 'ts')];
  }),
);

function blocksOf({ title }: Program, isTheirs: boolean): Block[] {
  const blocks = sections.get(title) ?? [];
  return blocks.filter(({ marks }) => marks.includes('theirs') === isTheirs);
}

/** Lines with code on them: neither empty nor a comment alone. */
function linesOfCode(texts: readonly string[]): number {
  const isCode = (line: string, bare: string): boolean => bare.trim() !== '' || /['"`]/.test(line);
  return texts.reduce((sum, text) => {
    const bare = codeOf(text).split('\n');
    return sum + text.split('\n').filter((line, at) => isCode(line, bare[at]!)).length;
  }, 0);
}

async function postgres(context: TestContext): Promise<NodeJS.ProcessEnv> {
  const database = await freshDatabase((await postgresServers()).at(-1)!);
  context.after(() => database.drop());
  return { DATABASE_URL: database.url };
}

async function redis(context: TestContext): Promise<NodeJS.ProcessEnv> {
  const server = await startRedis(redisPath!);
  context.after(() => server.stop());
  return { REDIS_URL: server.url };
}

function emptyFolder(context: TestContext): string {
  const cwd = mkdtempSync(join(tmpdir(), 'pawl-programs-'));
  context.after(() => rmSync(cwd, { recursive: true, force: true }));
  return cwd;
}

/** A report of tests has more on its lines than what is looked for. */
function assertSays({ says }: Program, lines: readonly string[]): void {
  const found = lines.map((line) => says.find((one) => line.replace(/^\W+/, '') === one) ?? line);
  assert.deepEqual(
    found.filter((line) => says.includes(line)),
    says,
    lines.join('\n'),
  );
}

after(async () => {
  await Promise.all((await postgresServers()).map((server) => server.stop()));
});

describe('ours', () => {
  for (const program of PROGRAMS) {
    const { title, isForSqlite = true } = program;
    if (isForSqlite) {
      test(`${title}: runs on SQLite`, async (context) => {
        const place = { folder, cwd: emptyFolder(context), env: {}, hooks };
        assertSays(program, await saidBy(program, place));
      });
    }

    test(`${title}: runs on PostgreSQL`, async (context) => {
      const place = { folder, cwd: emptyFolder(context), env: await postgres(context), hooks };
      assertSays(program, await saidBy(program, place));
    });
  }

  test('on SQLite a contract serves the process that works as well', async () => {
    const { resize } = await import('../../examples/programs/enqueue-only/resize.ts');
    const run = ({ input }: { input: { width: number; picture: string } }) => ({
      file: `${input.width}-${input.picture}`,
    });
    await using pawl = await openPawl({ database: ':memory:', jobs: [resize.handle({ run })] });
    pawl.work();
    const job = await pawl.enqueue(resize, { picture: 'cat.png', width: 800 });
    assert.equal((await job.result()).file, '800-cat.png');
  });

  test('on SQLite a transaction is refused, with what to do instead', async () => {
    const { resize } = await import('../../examples/programs/enqueue-only/resize.ts');
    const run = (): { file: string } => ({ file: 'none' });
    await using pawl = await openPawl({ database: ':memory:', jobs: [resize.handle({ run })] });
    const tx = { query: () => Promise.reject(new Error('never asked')) };
    const enqueueing = pawl.enqueue(resize, { picture: 'cat.png', width: 800 }, { tx });
    await assert.rejects(enqueueing, {
      code: 'VALIDATION_ERROR',
      message: /enqueue after the commit/,
    });
  });
});

describe('theirs', () => {
  let place: string;
  before(async () => {
    // Inside bench/, from where its packages are found.
    const cache = join(await installPeers(), '.cache');
    mkdirSync(cache, { recursive: true });
    place = mkdtempSync(join(cache, 'programs-'));
    for (const program of PROGRAMS) {
      for (const [at, { text }] of blocksOf(program, true).entries()) {
        const file = join(place, program.files[at]!);
        mkdirSync(join(file, '..'), { recursive: true });
        writeFileSync(file, text);
      }
    }
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  for (const program of PROGRAMS) {
    const isRedis = program.theirs === 'redis';
    const skip = isRedis && redisPath === null ? 'needs a redis-server' : false;
    test(`${program.title}: the twin says the same`, { skip }, async (context) => {
      const env = await (isRedis ? redis(context) : postgres(context));
      const twin = { folder: place, cwd: emptyFolder(context), env, hooks: [] };
      // BullMQ's QueueEvents miss a job that ends before they first listen, and wait for ever.
      const said = await saidBy(program, twin).catch(() => saidBy(program, twin));
      assertSays(program, said);
    });
  }
});

describe('the page', () => {
  test('shows every program as it is in examples/programs, and no other', () => {
    for (const program of PROGRAMS) {
      const texts = program.files.map((file) => readFileSync(join(folder, file), 'utf8'));
      assert.deepEqual(
        blocksOf(program, false).map(({ text }) => text),
        texts,
        program.title,
      );
    }
    const files = globSync('**/*.ts', { cwd: folder }).map((path) => path.replaceAll('\\', '/'));
    assert.deepEqual(files.toSorted(), PROGRAMS.flatMap((one) => one.files).toSorted());
    assert.equal(PROGRAMS.length, 12);
    assert.deepEqual(
      [...sections.keys()].slice(1),
      PROGRAMS.map(({ title }) => title),
    );
  });

  test('shows programs that import nothing of Pawl but its public entry points', () => {
    for (const { text } of PROGRAMS.flatMap((program) => blocksOf(program, false))) {
      for (const [, name = ''] of text.matchAll(/from '([^']+)'/g)) {
        assert.match(name, /^(?:pawl|pawl\/testing|pg|node:[\w/]+|\.\/\w+\.ts)$/);
      }
    }
  });

  for (const program of PROGRAMS) {
    test(`${program.title}: ours is not longer than its twin`, (context) => {
      const [ours, theirs] = [false, true].map((isTheirs) =>
        linesOfCode(blocksOf(program, isTheirs).map(({ text }) => text)),
      );
      context.diagnostic(`${ours} lines beside ${theirs}`);
      assert.ok(ours! > 0 && ours! <= theirs!, `${ours} lines, its twin ${theirs}`);
    });
  }

  test('has twins as the formatter writes them, so that lines can be compared', () => {
    for (const { text } of PROGRAMS.flatMap((program) => blocksOf(program, true))) {
      const tool = inRepository('node_modules/.bin/oxfmt');
      const args = [tool, '--stdin-filepath', inRepository('examples/twin.ts')];
      const { stdout } = spawnSync(process.execPath, args, { input: text, encoding: 'utf8' });
      assert.equal(text, stdout);
    }
  });

  test('counts lines of code, not comments or empty lines', () => {
    assert.equal(linesOfCode(['// a\n\nb();\n/* c */\n', "'d';\n  // e\nf(`\n  g`);\n"]), 4);
  });
});
