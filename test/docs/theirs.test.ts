// What the guides show of other libraries compiles against those libraries, and runs.
//   ```ts theirs               compiled, with the packages of bench/; `// web.ts` as its first line
//                              gives it a name for its neighbours
//   ```ts theirs run redis     and run; REDIS_URL names an empty Redis
//   ```ts theirs run postgres  and run; DATABASE_URL names an empty database
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { installPeers } from '../../scripts/peers/install.ts';
import { findRedis, startRedis } from '../../scripts/peers/redis.ts';
import { runTool } from '../../scripts/run/command.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { allBlocks, type Block, fileNameOf } from './blocks.ts';
import { childEnvironment } from '../../scripts/run/child-environment.ts';

const run = promisify(execFile);
const blocks = allBlocks().filter(({ marks }) => marks.includes('theirs'));
const redisPath = await findRedis();

let folder: string;

function fileOf(block: Block): string {
  return join(folder, fileNameOf(block));
}

before(async () => {
  // Inside bench/, from where its packages are found.
  const place = join(await installPeers(), '.cache');
  mkdirSync(place, { recursive: true });
  folder = mkdtempSync(join(place, 'docs-'));
  for (const block of blocks) {
    mkdirSync(dirname(fileOf(block)), { recursive: true });
    writeFileSync(fileOf(block), block.text);
  }
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all((await postgresServers()).map((server) => server.stop()));
});

test('what the documents show of other libraries compiles against them', async () => {
  const config = {
    extends: inRepository('tsconfig.json'),
    compilerOptions: {
      incremental: false,
      tsBuildInfoFile: null,
      skipLibCheck: true,
      typeRoots: [inRepository('node_modules/@types')],
    },
    include: ['**/*.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const signal = new AbortController().signal;
  const { isGood, output } = await runTool('tsc', ['--project', folder, '--noEmit'], signal);
  assert.ok(isGood, output);
});

for (const block of blocks.filter(({ marks }) => marks.includes('run'))) {
  const isRedis = block.marks.includes('redis');
  const skip = isRedis && redisPath === null ? 'needs a redis-server' : false;
  const title = `their program in ${block.path}, line ${block.line}, runs to its end`;
  test(title, { skip }, async (context) => {
    const env: NodeJS.ProcessEnv = { ...childEnvironment };
    if (isRedis) {
      const redis = await startRedis(redisPath!);
      context.after(() => redis.stop());
      env['REDIS_URL'] = redis.url;
    } else {
      const database = await freshDatabase((await postgresServers()).at(-1)!);
      context.after(() => database.drop());
      env['DATABASE_URL'] = database.url;
    }
    await run(process.execPath, [fileOf(block)], { cwd: folder, env, timeout: 120_000 });
  });
}

test('every guide shows a program of the library that it leaves', () => {
  assert.equal(blocks.filter(({ marks }) => marks.includes('run')).length, 3);
});
