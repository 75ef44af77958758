// The release that runs, and an older one from the history of the repository, side by side.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkModules } from '../../support/linked-modules.ts';

export interface Release {
  readonly name: string;
  readonly root: string;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const OWN = [
  ...['bad-source', 'jobs', 'ledger', 'noted-source', 'worker'].map(
    (name) => `test/proof/fleet/${name}.ts`,
  ),
  'test/support/inner-pawl.ts',
];

export const THIS_RELEASE: Release = { name: 'this', root };

/** The newest release; null before the first one. */
export function newestRelease(): string | null {
  const words = ['tag', '--list', 'v*', '--sort=-version:refname'];
  const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  return status === 0 ? (stdout.split('\n').find((tag) => tag !== '') ?? null) : null;
}

/** As of a revision, with our own programs beside it; or why it cannot be had. */
export function releaseAt(revision: string): Release | { reason: string } {
  const found = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`], {
    cwd: root,
    encoding: 'utf8',
  });
  if (found.status !== 0) return { reason: `an older release needs git and ${revision}` };
  const folder = mkdtempSync(join(tmpdir(), 'pawl-release-'));
  const revised = found.stdout.trim();
  const archive = spawnSync('git', ['archive', revised, 'packages', 'package.json'], {
    cwd: root,
    maxBuffer: 256 * 1024 * 1024,
  });
  if (archive.status !== 0) return { reason: `${revision} is older than the packages` };
  execFileSync('tar', ['-x', '-C', folder], { input: archive.stdout });
  linkModules(folder);
  for (const file of OWN) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  return { name: found.stdout.slice(0, 7), root: folder };
}

/** The same program in another release. */
export function programOf(release: Release, program: URL): string {
  return join(release.root, relative(root, fileURLToPath(program)));
}
