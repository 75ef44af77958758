import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OgcOptions, readOgcSettings } from './settings.ts';

function read(settings: Readonly<Record<string, string>>, options: OgcOptions = {}) {
  return readOgcSettings({ settings, publicUrl: null }, options);
}

test('without a word there are no providers, and a minute is waited', () => {
  assert.deepEqual(read({}), {
    publicUrl: null,
    monitorLink: 'plain',
    syncWaitMs: 60_000,
    isDraft2: false,
    postgis: null,
    providers: null,
  });
});

test('settings of the process go before the options of the program', () => {
  const env = { TOKEN: 'x' };
  const options = { providers: 'a.json', monitorLink: 'none', syncWaitMs: 5, env } as const;
  const { providers, monitorLink, syncWaitMs } = read({}, options);
  assert.deepEqual(providers, { path: 'a.json', env });
  assert.equal(`${monitorLink} ${syncWaitMs}`, 'none 5');
  const given = { PAWL_OGC_PROVIDERS: 'b.json', PAWL_OGC_SYNC_WAIT_MS: '7' };
  const changed = read(given, options);
  assert.deepEqual(changed.providers, { path: 'b.json', env });
  assert.equal(`${changed.monitorLink} ${changed.syncWaitMs}`, 'none 7');
});

test('a setting that cannot be used is refused with what would be right', () => {
  assert.throws(
    () => read({ PAWL_OGC_MONITOR_LINK: 'loud' }),
    /PAWL_OGC_MONITOR_LINK.*plain, rfc8288, none/,
  );
  for (const text of ['-1', '1.5', 'x', '3600001']) {
    assert.throws(() => read({ PAWL_OGC_SYNC_WAIT_MS: text }), /PAWL_OGC_SYNC_WAIT_MS.*3600000/);
  }
  for (const text of ['mysql://x', 'secret@host']) {
    const refused = (error: Error): boolean =>
      error.message.includes('PAWL_OGC_POSTGIS_URL') && !error.message.includes(text);
    assert.throws(() => read({ PAWL_OGC_POSTGIS_URL: text }), refused);
  }
  assert.throws(() => read({ PAWL_OGC_DRAFT_2: 'yes' }), /PAWL_OGC_DRAFT_2.*on or off/);
  assert.equal(read({ PAWL_OGC_DRAFT_2: 'on' }).isDraft2, true);
  const url = { PAWL_OGC_POSTGIS_URL: 'postgres://u:p@host/db' };
  assert.deepEqual(read(url).postgis, { url: url.PAWL_OGC_POSTGIS_URL, schema: 'pawl_results' });
  assert.throws(
    () => read({ ...url, PAWL_OGC_POSTGIS_SCHEMA: 'public"; drop' }),
    /PAWL_OGC_POSTGIS_SCHEMA/,
  );
});
