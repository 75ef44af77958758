import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  environmentOf,
  resolveSettings,
  type SettingSources,
} from 'pawl/internal/settings/resolve-settings';
import { SETTINGS } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-settings-'));
after(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function valueOf(name: string, sources: SettingSources): string {
  const resolved = resolveSettings(SETTINGS, sources);
  const { value, source } = resolved.find(({ setting }) => setting.name === name)!;
  return `${value} by ${source}`;
}

test('flags go before the environment, that before the file, that before the default', () => {
  const PAWL_CONFIG = fileOf('ports.json', '{"PORT":1}');
  assert.equal(valueOf('PORT', { env: {} }), '8080 by default');
  assert.equal(valueOf('PORT', { env: { PAWL_CONFIG } }), '1 by file');
  const env = { PAWL_CONFIG, PORT: '2' };
  assert.equal(valueOf('PORT', { env }), '2 by environment');
  assert.equal(valueOf('PORT', { env, flags: { PORT: '3' } }), '3 by flag');
});

test('a secret may lie in a file, whose closing line end is no part of it', () => {
  const DATABASE_URL_FILE = fileOf('url', 'postgres://me:secret@db/pawl\n');
  const env = { DATABASE_URL_FILE };
  assert.equal(valueOf('DATABASE_URL', { env }), 'postgres://me:secret@db/pawl by environment');
  const laidIn = environmentOf(resolveSettings(SETTINGS, { env }), env);
  assert.equal(laidIn['DATABASE_URL'], 'postgres://me:secret@db/pawl');
});

test('what cannot be meant is named with the way out', () => {
  const refused: [NodeJS.ProcessEnv, RegExp][] = [
    [{ PAWL_CONFIG: fileOf('typo.json', '{"PROT":1}') }, /"PROT", which is not a setting/],
    [{ PAWL_CONFIG: fileOf('broken.json', '{') }, /not JSON/],
    [{ PAWL_CONFIG: fileOf('list.json', '[]') }, /one JSON object/],
    [{ PAWL_CONFIG: fileOf('deep.json', '{"PORT":{}}') }, /neither a text nor a number/],
    [{ PAWL_CONFIG: join(folder, 'missing.json') }, /PAWL_CONFIG names a file that cannot be read/],
    [{ DATABASE_URL_FILE: join(folder, 'missing') }, /DATABASE_URL_FILE names a file/],
  ];
  for (const [env, message] of refused) {
    assert.throws(() => resolveSettings(SETTINGS, { env }), message);
  }
});

test('every setting that the platform reads is listed', () => {
  const known = new Set(SETTINGS.map(({ name }) => name));
  const here = new URL('.', import.meta.url);
  for (const file of readdirSync(here).filter((name) => /^(?!.*\.test).*\.ts$/.test(name))) {
    const text = readFileSync(new URL(file, here), 'utf8');
    for (const [, name = ''] of text.matchAll(
      /['`](PAWL_[A-Z\d_]+|OTEL_[A-Z_]+|LOG_[A-Z]+)['`]/g,
    )) {
      assert.ok(known.has(name) || name === 'PAWL_CONFIG', `${file} reads ${name}`);
    }
  }
});
