// Takes controls away one by one, each in a copy of the tree, and sees whether a test turns red.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRepository, repositoryFolder } from '../../../scripts/run/repository.ts';
import type { Mutation } from '../../security/mutation.ts';
import { MUTATIONS } from '../../security/mutations.ts';
import type { Rung, Say } from '../figures.ts';

/** A test that hangs because of a mistake has noticed it, too. */
const TEST_MS_MAX = 120_000;

const LEFT_OUT = /(?:^|[/\\])(?:node_modules|\.git|data)$/;

/** The tree without what is installed, which is linked. */
function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-mutants-'));
  cpSync(repositoryFolder, folder, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  for (const place of ['', 'bench', 'dashboard']) {
    const modules = join(place, 'node_modules');
    try {
      symlinkSync(inRepository(modules), join(folder, modules));
    } catch {
      // Not every workspace has modules of its own.
    }
  }
  return folder;
}

async function isGreen(folder: string, tests: string): Promise<boolean> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ['--test', `--test-timeout=${TEST_MS_MAX}`, tests];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

/** The file with its mistake; throws where it is not one that could be made. */
function planted({ file, from, to }: Mutation, text: string): string {
  if (text.split(from).length !== 2) throw new Error(`${file} does not have it once: ${from}`);
  const mistaken = text.replace(from, () => to);
  // Tests that cannot even be loaded are red, too, and have noticed nothing.
  if (file.endsWith('.ts')) stripTypeScriptTypes(mistaken);
  return mistaken;
}

/** Before anything is run: what has moved on since its mistake was thought of. */
function findStale(chosen: readonly Mutation[]): string[] {
  return chosen.flatMap((one) => {
    try {
      planted(one, readFileSync(inRepository(one.file), 'utf8'));
      return [];
    } catch (error) {
      return [`${one.control}, ${one.mistake}: ${(error as Error).message}`];
    }
  });
}

/** True where the tests notice. */
async function isCaught(folder: string, one: Mutation): Promise<boolean> {
  const path = join(folder, one.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, planted(one, text));
  try {
    return !(await isGreen(folder, one.tests));
  } finally {
    writeFileSync(path, text);
  }
}

async function findRed(folder: string, chosen: readonly Mutation[], say: Say): Promise<string[]> {
  const problems: string[] = [];
  for (const tests of new Set(chosen.map((one) => one.tests))) {
    if (await isGreen(folder, tests)) continue;
    problems.push(`${tests} is red without any mistake`);
    say(problems.at(-1)!);
  }
  return problems;
}

/** `npm run proof:mutants -- --security`, of one control with `--control S6`. */
export const runSecurityMutants: Rung = async (options, say) => {
  const control = options.text('control');
  const chosen = MUTATIONS.filter((one) => control === null || one.control === control);
  const controls = new Set(chosen.map((one) => one.control)).size;
  const stale = findStale(chosen);
  if (chosen.length === 0) stale.push(`no mistake is planted for a control "${control}"`);
  if (stale.length > 0) return { figures: { controls, planted: 0 }, violations: stale };
  const folder = copyTree();
  try {
    const violations = await findRed(folder, chosen, say);
    let caught = 0;
    for (const one of chosen) {
      const isSeen = await isCaught(folder, one);
      caught += Number(isSeen);
      say(`${one.control.padEnd(4)} ${isSeen ? 'caught' : 'MISSED'}  ${one.mistake}`);
      if (!isSeen) violations.push(`${one.tests} did not notice that ${one.mistake}`);
    }
    return { figures: { controls, planted: chosen.length, caught }, violations };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
