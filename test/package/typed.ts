// Programs of users against the declarations that are packed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { inRepository } from '../../scripts/run/repository.ts';
import { all, App, type Packed, pawl } from './packed.ts';

const run = promisify(execFile);

/** What programs of users in TypeScript have besides. */
const TYPED = ['zod', '@types/node', '@types/pg'];

const COMPILER = { target: 'es2024', module: 'nodenext', strict: true, noEmit: true };

function entriesOf({ manifest }: Packed): string[] {
  const entries = Object.keys(manifest.exports).filter((path) => !/\*|json$/.test(path));
  return entries.map((path) => manifest.name + path.slice(1));
}

async function compile(app: App, compilerOptions: object, files: readonly string[]): Promise<void> {
  const config = JSON.stringify({ compilerOptions: { ...COMPILER, ...compilerOptions }, files });
  writeFileSync(join(app.folder, 'tsconfig.json'), config);
  await run(inRepository('node_modules/.bin/tsc'), ['--project', app.folder]).catch(
    (error: { stdout: string }) => assert.fail(error.stdout),
  );
}

test('every entry of every package can be imported, and its types fit', async () => {
  const app = await new App('typed-whole').with(...all);
  app.link([...TYPED, 'pg', ...all.flatMap(optionalOf)]);
  const modules = all.flatMap(entriesOf);
  const lines = modules.map(
    (name) => `console.log(Object.keys(await import('${name}')).length > 0);`,
  );
  assert.equal(await app.run(lines.join('\n')), modules.map(() => 'true').join('\n'));
  writeFileSync(join(app.folder, 'main.ts'), programOf(modules));
  await compile(app, { types: ['node'], skipLibCheck: true }, ['main.ts']);
});

function optionalOf({ manifest }: Packed): string[] {
  return Object.keys(manifest.optionalDependencies ?? {});
}

/** A program in TypeScript that uses every entry. */
function programOf(modules: readonly string[]): string {
  const imports = modules.map((name, index) => `import * as m${index} from '${name}';`);
  const uses = modules.map((_, index) => `m${index}`).join(', ');
  return `${imports.join('\n')}
import { defineJob, type InputOf, typed } from 'pawl';
export const all: readonly object[] = [${uses}];
export const hello = defineJob('hello', {
  input: typed<{ name: string }>(),
  run: ({ input }) => input.name,
});
// @ts-expect-error a wrong input does not compile
export const wrong: InputOf<typeof hello> = { name: 1 };
`;
}

test('the declarations of the library pass by themselves', async () => {
  const app = (await new App('typed-strict').with(pawl)).link(TYPED);
  writeFileSync(join(app.folder, 'main.ts'), programOf(['pawl', 'pawl/client', 'pawl/testing']));
  await compile(app, { types: ['node'] }, ['main.ts']);
});

test('inference holds with the declarations alone, members of Context included', async () => {
  const app = (await new App('typed').with(pawl)).link(TYPED);
  const programs = inRepository('test/types/programs');
  const sources = globSync('*.ts', { cwd: programs });
  for (const file of sources) cpSync(join(programs, file), join(app.folder, file));
  await compile(app, { types: ['node'], skipLibCheck: true }, sources);
});
