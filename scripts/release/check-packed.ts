// Tarballs as users meet them: each installed by npm in an empty project of its own, and used.
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** npm with the Node that runs this. */
const env: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  NODE_OPTIONS: '',
  npm_config_update_notifier: 'false',
};
const INSTALL = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--omit=optional'];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

interface Tarball {
  readonly path: string;
  readonly manifest: Manifest;
}

async function read(path: string): Promise<Tarball> {
  const { stdout } = await run('tar', ['-xzOf', path, 'package/package.json']);
  return { path, manifest: JSON.parse(stdout) as Manifest };
}

/** The package, and ours that it is a peer of. */
function withPeers(one: Tarball, all: readonly Tarball[]): readonly Tarball[] {
  const names = Object.keys(one.manifest.peerDependencies ?? {});
  const peers = all.filter(({ manifest }) => names.includes(manifest.name));
  return [one, ...peers];
}

/** Installs one in an empty folder, imports all that it exports, and runs its commands. */
async function check(one: Tarball, all: readonly Tarball[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-release-'));
  const { name, version, exports, bin = {} } = one.manifest;
  try {
    writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}');
    const tarballs = withPeers(one, all).map(({ path }) => path);
    await run('npm', [...INSTALL, ...tarballs], { cwd: folder, env });
    const installed = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    if ((JSON.parse(installed) as Manifest).version !== version) throw new Error('another version');
    const entries = Object.keys(exports).filter((entry) => !/\*|json$/.test(entry));
    const imports = entries.map((entry) => `await import('${name}${entry.slice(1)}');`);
    writeFileSync(join(folder, 'main.js'), imports.join('\n'));
    await run(process.execPath, ['main.js'], { cwd: folder, env });
    for (const command of Object.keys(bin)) {
      await run('npx', ['--no-install', command, '--help'], { cwd: folder, env });
    }
    return `${name} ${version}: ${entries.length} entries, ${Object.keys(bin).length} commands`;
  } catch (error) {
    const { message, stderr = '' } = error as Error & { stderr?: string };
    throw new Error(`${name} ${version} does not work in an empty project: ${message}\n${stderr}`, {
      cause: error,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks every tarball of a folder; says what was seen. */
export async function checkPacked(folder: string): Promise<string> {
  const paths = globSync('*.tgz', { cwd: folder }).map((path) => resolve(folder, path));
  if (paths.length === 0) throw new Error(`${folder} has no tarballs: npm run pack -- ${folder}`);
  const all = await Promise.all(paths.map(read));
  const lines: string[] = [];
  for (const one of all) lines.push(await check(one, all));
  return lines.join('\n');
}
