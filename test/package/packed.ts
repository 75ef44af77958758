// What `npm run pack` makes, packed once for all tests of it.
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { publicPackages } from '../../scripts/run/public-packages.ts';
import { inRepository } from '../../scripts/run/repository.ts';

const run = promisify(execFile);
export const folder: string = mkdtempSync(join(tmpdir(), 'pawl-package-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What packed programs run with: they are loaded again and again, and compiled once. */
export const environment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: join(folder, 'compiled'),
};

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Record<string, string | { readonly default: string }>;
  readonly bin?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

/** A package as users get it. */
export interface Packed {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly tarball: string;
}

async function pack(): Promise<ReadonlyMap<string, Packed>> {
  const to = join(folder, 'packed');
  await run(process.execPath, [inRepository('scripts/pack.ts'), to]);
  return new Map(
    publicPackages.map((name) => {
      const path = inRepository('.cache/staged', name, 'package.json');
      const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
      const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
      return [name, { folder: name, manifest, tarball: join(to, file) }];
    }),
  );
}

const packed: ReadonlyMap<string, Packed> = await pack();
export const all: readonly Packed[] = [...packed.values()];
export const pawl: Packed = packed.get('pawl')!;

/** A program of its own with packages of ours, and links to what an install would have brought. */
export class App {
  readonly folder: string;

  constructor(name: string) {
    this.folder = join(folder, name);
    mkdirSync(join(this.folder, 'node_modules'), { recursive: true });
    writeFileSync(join(this.folder, 'package.json'), '{"type":"module"}');
  }

  /** Ours, with what they depend on, but nothing that is optional. */
  async with(...packages: readonly Packed[]): Promise<this> {
    for (const { manifest, tarball } of packages) {
      const to = this.installed(manifest.name);
      mkdirSync(to, { recursive: true });
      await run('tar', ['xzf', tarball, '-C', to, '--strip-components=1']);
      this.link(Object.keys(manifest.dependencies ?? {}));
    }
    return this;
  }

  installed(name = 'pawl'): string {
    return join(this.folder, 'node_modules', name);
  }

  link(names: readonly string[]): this {
    for (const name of names) {
      const target = join(this.folder, 'node_modules', name);
      mkdirSync(dirname(target), { recursive: true });
      if (statSync(target, { throwIfNoEntry: false }) !== undefined) continue;
      symlinkSync(inRepository('node_modules', name), target);
    }
    return this;
  }

  async run(code: string, node: string = process.execPath): Promise<string> {
    writeFileSync(join(this.folder, 'main.mjs'), code);
    const options = { cwd: this.folder, env: environment };
    return (await run(node, ['main.mjs'], options)).stdout.trim();
  }

  /** Runs the command line and answers with all that it says, however it ends. */
  async pawl(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    const args = [join(this.installed(), 'dist/cli/main.js'), ...words];
    const options = { cwd: this.folder, env: { ...environment, PORT: '0', ...env } };
    const { stdout, stderr } = await run(process.execPath, args, options).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    return stdout + stderr;
  }
}

/** The library alone, without optional peers: the smallest install. */
export const smallest: App = await new App('smallest').with(pawl);

/** Everything of ours, without what is optional. */
export const whole: App = await new App('whole').with(...all);

export function pathsIn(root: string): string[] {
  return globSync('**/*', { cwd: root })
    .filter((path) => statSync(join(root, path)).isFile())
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();
}
