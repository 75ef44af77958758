// Plants mistakes in a copy of the tree, one by one, and sees whether tests turn red.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRepository, repositoryFolder } from '../../../scripts/run/repository.ts';
import { linkModules } from '../../support/linked-modules.ts';

/** A change that somebody could make by mistake. */
export interface Change {
  readonly file: string;
  /** It is in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

/** A test that hangs because of a mistake has noticed it, too. */
const TEST_MS_MAX = 120_000;
/** The limit of a test cannot end a file whose event loop is blocked. */
const FILE_MS_MAX = 300_000;

const LEFT_OUT = /(?:^|[/\\])(?:node_modules|\.git|\.cache|data)$/;

/** The tree without what is installed, which is linked. */
function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-mutants-'));
  cpSync(repositoryFolder, folder, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  linkModules(folder);
  return folder;
}

/** The file with its mistake; throws where it is not one that could be made. */
function planted({ file, from, to }: Change, text: string): string {
  if (text.split(from).length !== 2) throw new Error(`${file} does not have it once: ${from}`);
  const mistaken = text.replace(from, () => to);
  // Tests that cannot even be loaded are red, too, and have noticed nothing.
  if (file.endsWith('.ts')) stripTypeScriptTypes(mistaken);
  return mistaken;
}

/** Why a change cannot be made: what has moved on since it was thought of; null where it can. */
export function staleness(change: Change): string | null {
  try {
    planted(change, readFileSync(inRepository(change.file), 'utf8'));
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A copy of the tree in which mistakes are planted. */
export class Plantation {
  readonly #folder = copyTree();

  /** Whether the tests in a file pass, or those of them whose titles match. */
  async isGreen(tests: string, titles: string | null = null): Promise<boolean> {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const named = titles === null ? [] : [`--test-name-pattern=${titles}`];
    // A test that failed half-way leaves servers and workers open, which would keep it running.
    const limits = [`--test-timeout=${TEST_MS_MAX}`, '--test-force-exit'];
    const args = ['--test', ...limits, ...named, tests];
    const options = { cwd: this.#folder, env, stdio: 'ignore', timeout: FILE_MS_MAX } as const;
    const child = spawn(process.execPath, args, options);
    const [code] = (await once(child, 'exit')) as [number | null];
    return code === 0;
  }

  /** True where the tests notice the change, which is taken back. */
  async isCaught(change: Change, tests: string, titles: string | null = null): Promise<boolean> {
    const path = join(this.#folder, change.file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, planted(change, text));
    try {
      return !(await this.isGreen(tests, titles));
    } finally {
      writeFileSync(path, text);
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
