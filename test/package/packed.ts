// What `npm pack` makes, packed once for all tests of it.
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { inRepository } from '../../scripts/run/repository.ts';

const run = promisify(execFile);
export const folder: string = mkdtempSync(join(tmpdir(), 'pawl-package-'));
after(() => rmSync(folder, { recursive: true, force: true }));

export interface Manifest {
  readonly version: string;
  readonly exports: Record<string, string | { readonly default: string }>;
  readonly bin: Record<string, string>;
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
}

export const manifest = JSON.parse(readFileSync(inRepository('package.json'), 'utf8')) as Manifest;

/** Built and packed from a folder of its own, so that nobody's `dist` is in the way. */
async function pack(): Promise<string> {
  const own = join(folder, 'pawl');
  for (const name of ['package.json', 'README.md', 'LICENSE']) {
    cpSync(inRepository(name), join(own, name));
  }
  await run(process.execPath, [inRepository('scripts/build.ts'), join(own, 'dist')]);
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: own });
  return join(folder, globSync('*.tgz', { cwd: folder })[0]!);
}

export const tarball: string = await pack();

/** A program of its own that has the package, and links to what an install would have brought. */
export class App {
  readonly folder: string;
  readonly installed: string;

  constructor(name: string, packages: readonly string[]) {
    this.folder = join(folder, name);
    this.installed = join(this.folder, 'node_modules/pawl');
    mkdirSync(this.installed, { recursive: true });
    writeFileSync(join(this.folder, 'package.json'), '{"type":"module"}');
    this.link(packages);
  }

  async unpack(): Promise<this> {
    await run('tar', ['xzf', tarball, '-C', this.installed, '--strip-components=1']);
    return this;
  }

  link(names: readonly string[]): void {
    for (const name of names) {
      const target = join(this.folder, 'node_modules', name);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(inRepository('node_modules', name), target);
    }
  }

  async run(code: string, node: string = process.execPath): Promise<string> {
    writeFileSync(join(this.folder, 'main.mjs'), code);
    return (await run(node, ['main.mjs'], { cwd: this.folder })).stdout.trim();
  }

  /** Runs the command line and answers with all that it says, however it ends. */
  async pawl(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const args = [join(this.installed, 'dist/cli/main.js'), ...words];
    const options = { cwd: this.folder, env: { PATH: process.env['PATH'], PORT: '0', ...env } };
    const { stdout, stderr } = await run(process.execPath, args, options).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    return stdout + stderr;
  }
}

/** Without optional packages and optional peers: the smallest install. */
export const smallest: App = await new App('smallest', Object.keys(manifest.dependencies)).unpack();

export function pathsIn(root: string): string[] {
  return globSync('**/*', { cwd: root })
    .filter((path) => statSync(join(root, path)).isFile())
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();
}
