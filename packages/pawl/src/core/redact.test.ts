import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../../test/support/properties.ts';
import { anyText, SECRETS } from '../../../../test/support/hostile/texts.ts';
import { withoutSecrets } from './redact.ts';

const KEY = '-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----';

test('what looks like a secret is taken out, and the rest stays', () => {
  for (const [text, secret] of Object.entries(SECRETS)) {
    const told = withoutSecrets(`first ${text} last`);
    assert.ok(!told.includes(secret), told);
    assert.match(told, /^first .*\[redacted\].* last$/);
  }
  assert.equal(withoutSecrets(`${KEY} and on`), '-----BEGIN RSA PRIVATE KEY-----[redacted] and on');
});

test('taking secrets out twice changes nothing', () => {
  const texts = fc.oneof(anyText, fc.constantFrom(KEY, `a ${KEY} b`, ...Object.keys(SECRETS)));
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 3 }), (parts) => {
      const once = withoutSecrets(parts.join(' '));
      assert.equal(withoutSecrets(once), once);
    }),
  );
});

test('a hostile text of 64 KiB takes no more time than a longer harmless one', () => {
  const hostile = ['a.', 'eyJ-', '?token', 'password ', 'a://b:', '-----BEGIN PRIVATE KEY-----'];
  const spentOn = (text: string): number => {
    const from = process.cpuUsage();
    withoutSecrets(text);
    return process.cpuUsage(from).user / 1_000;
  };
  spentOn('warm up '.repeat(8_000));
  for (const part of hostile) {
    const text = part.repeat(Math.ceil(65_536 / part.length));
    const ms = Math.min(spentOn(text), spentOn(text), spentOn(text));
    assert.ok(ms < 500, `${part}: ${ms} ms of CPU`);
  }
});
