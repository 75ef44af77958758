import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inRepository } from '../run/repository.ts';
import { notesOf } from './notes.ts';
import { released, withVersion } from './prepare.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const manifests = globSync('packages/*/package.json', { cwd: inRepository('.') }).map(
  (path) => JSON.parse(readFileSync(inRepository(path), 'utf8')) as Manifest,
);

test('all packages have one version, and pawl is a peer of those that need it', () => {
  const { version } = manifests.find(({ name }) => name === 'pawl')!;
  for (const manifest of manifests) {
    assert.deepEqual(manifest, withVersion(manifest, version), manifest.name);
    const stands = /^(?:pawl|create-pawl|@pawl\/dashboard)$/.test(manifest.name);
    assert.equal(manifest.peerDependencies?.['pawl'], stands ? undefined : version, manifest.name);
  }
});

test('the changelog has notes for the version of this repository', () => {
  const [{ version } = { version: '' }] = manifests;
  assert.ok(notesOf(`v${version}`).length > 100);
});

const CHANGELOG = '# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0 (2026-01-01)\n\n- first\n';

test('the notes of a version are its section, and a version without one is refused', () => {
  assert.equal(notesOf('v0.1.0', CHANGELOG), '- first');
  assert.throws(() => notesOf('0.1', CHANGELOG), /CHANGELOG\.md has no text for 0\.1: add/);
  assert.throws(() => notesOf('0.2.0', '## 0.2.0 (2026-01-01)\n\n'), /no text for 0\.2\.0/);
});

test('a new version takes over what was unreleased, once', () => {
  const next = released(CHANGELOG, '0.2.0', '2026-02-01');
  assert.equal(notesOf('0.2.0', next), '- new');
  assert.equal(notesOf('0.1.0', next), '- first');
  assert.equal(released(next, '0.2.0', '2026-03-01'), next);
});

test('a version is written for the package and for ours that it names', () => {
  const manifest = {
    version: '0.1.0',
    dependencies: { commander: '15.0.0' },
    peerDependencies: { pawl: '0.1.0', pg: '^8.0.0' },
    devDependencies: { '@pawl/server': '0.1.0' },
  };
  assert.deepEqual(withVersion(manifest, '0.2.0'), {
    version: '0.2.0',
    dependencies: { commander: '15.0.0' },
    peerDependencies: { pawl: '0.2.0', pg: '^8.0.0' },
    devDependencies: { '@pawl/server': '0.2.0' },
  });
});
