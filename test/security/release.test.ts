// How packages and images are made: from the lockfile, on pinned bases, with SBOM and provenance.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inRepository } from '../../scripts/run/repository.ts';

function read(path: string): string {
  return readFileSync(inRepository(path), 'utf8');
}

const dockerfile = read('deploy/Dockerfile');
const release = read('.github/workflows/release.yml');

test('[S20] the image has no base but by a digest, which a build must be given', () => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base!);
  const stages = new Set([...dockerfile.matchAll(/ AS (\w+)$/gm)].map(([, name]) => name!));
  const outside = bases.filter((base) => !stages.has(base));
  assert.ok(outside.length > 0);
  for (const base of outside) assert.match(base, /@(?:sha256:[0-9a-f]{64}|\$\{NODE_DIGEST\})$/);
  assert.match(dockerfile, /^ARG NODE_DIGEST$/m, 'no default: what a tag points to changes');
  assert.match(release, /grep -E '\^sha256:\[0-9a-f\]\{64\}\$'/);
});

test('[S20] image and packages are installed from the lockfile, without scripts', () => {
  for (const [file, text] of Object.entries({ dockerfile, release })) {
    assert.doesNotMatch(text, /npm (?:i|install|add|update|init)\b/, file);
    const installs = text.match(/npm ci\b.*/g) ?? [];
    assert.ok(installs.length > 0, file);
    for (const install of installs) assert.match(install, /--ignore-scripts/, file);
  }
  const copied = [...dockerfile.matchAll(/^COPY packages\/([\w-]+)\/package.json/gm)];
  assert.deepEqual(
    copied.map(([, name]) => `packages/${name}/package.json`).toSorted(),
    globSync('packages/*/package.json', { cwd: inRepository('.') }).toSorted(),
  );
});

test('[S20] a release has an SBOM and provenance, of the packages and of the image', () => {
  assert.match(release, /npm sbom .*--sbom-format=cyclonedx/);
  assert.match(release, /npm publish .*--provenance/);
  assert.match(release, /actions\/attest-build-provenance@/);
  assert.match(release, /--provenance=mode=max --sbom=true/);
});

test('a release packs, then checks each package in an empty project, then publishes, with notes', () => {
  const steps = [
    'release -- notes "$GITHUB_REF_NAME"',
    'npm test',
    'npm run pack -- packed',
    'npm run release -- check packed',
    'npm publish',
    'gh release create "$GITHUB_REF_NAME" --verify-tag',
  ];
  const places = steps.map((step) => release.indexOf(step));
  assert.ok(!places.includes(-1), String(places));
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
});

test('[S20] workflows use actions by their commit, and may write nothing by default', () => {
  for (const path of globSync('.github/workflows/*.yml', { cwd: inRepository('.') })) {
    const text = read(path);
    for (const [, used] of text.matchAll(/uses: (\S+)/g)) {
      assert.match(used!, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/, path);
    }
    assert.match(text, /^permissions:\n {2}contents: read\n\n/m, path);
  }
});

test('[S20] the SBOM is CycloneDX and has what users install, by its hash', () => {
  const args = ['sbom', '--workspaces', '--package-lock-only', '--sbom-format=cyclonedx'];
  const options = { cwd: inRepository('.'), encoding: 'utf8', maxBuffer: 64_000_000 } as const;
  const sbom = JSON.parse(execFileSync('npm', args, options)) as {
    bomFormat: string;
    components: { name: string; hashes?: { alg: string }[] }[];
  };
  assert.equal(sbom.bomFormat, 'CycloneDX');
  const fastify = sbom.components.find(({ name }) => name === 'fastify');
  assert.equal(fastify?.hashes?.[0]?.alg, 'SHA-512');
  assert.ok(!sbom.components.some(({ name }) => name === 'typescript'));
});

test('[S20] packed packages take the place of the links to the workspace', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-unpack-'));
  try {
    const modules = join(folder, 'node_modules');
    for (const path of ['packages/pawl', 'node_modules/@pawl', 'source/package', 'packed']) {
      mkdirSync(join(folder, path), { recursive: true });
    }
    for (const link of ['pawl', '@pawl/dashboard']) {
      symlinkSync(join(folder, 'packages/pawl'), join(modules, link));
    }
    writeFileSync(join(folder, 'source/package/package.json'), '{"name":"pawl"}');
    const tarball = join(folder, 'packed/pawl.tgz');
    execFileSync('tar', ['-czf', tarball, '-C', join(folder, 'source'), 'package']);
    const script = inRepository('deploy/unpack.mjs');
    execFileSync(process.execPath, [script, join(folder, 'packed'), modules]);
    assert.equal(readFileSync(join(modules, 'pawl/package.json'), 'utf8'), '{"name":"pawl"}');
    assert.equal(existsSync(join(folder, 'packages/pawl/package.json')), false);
    assert.equal(existsSync(join(modules, '@pawl/dashboard')), false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
