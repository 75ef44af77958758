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
});
