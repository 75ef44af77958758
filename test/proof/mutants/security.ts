// Takes controls away one by one, each in a copy of the tree, and sees whether a test turns red.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRepository, repositoryFolder } from '../../../scripts/run/repository.ts';
import { type Mutation, MUTATIONS } from '../../security/mutations.ts';
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

/** True where the tests notice. */
async function isCaught(folder: string, { file, from, to, tests }: Mutation): Promise<boolean> {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${file} does not have it once: ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  try {
    return !(await isGreen(folder, tests));
  } finally {
    writeFileSync(path, text);
  }
}

async function findGreen(folder: string, say: Say): Promise<string[]> {
  const problems: string[] = [];
  for (const tests of new Set(MUTATIONS.map((one) => one.tests))) {
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
  const folder = copyTree();
  try {
    const violations = control === null ? await findGreen(folder, say) : [];
    let caught = 0;
    for (const one of chosen) {
      const isSeen = await isCaught(folder, one);
      caught += Number(isSeen);
      say(`${one.control.padEnd(4)} ${isSeen ? 'caught' : 'MISSED'}  ${one.mistake}`);
      if (!isSeen) violations.push(`${one.tests} did not notice that ${one.mistake}`);
    }
    const controls = new Set(chosen.map((one) => one.control)).size;
    return { figures: { controls, planted: chosen.length, caught }, violations };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
