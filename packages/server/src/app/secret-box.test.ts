import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecretBox } from './secret-box.ts';

const key = { id: 'k1', secret: Buffer.alloc(32, 7) };
const owner = { tenant: 'acme', id: '01890000-0000-7000-8000-000000000001' };

/** As an earlier build stored it. */
const SEALED = 'seal1.k1.lCL4-NBYWMjx9Nci24uylFPQNeeXI0wqiN1cbKxYHYgc6-OzLazhkXZy';

test('a secret that an earlier build has sealed opens, for its owner alone', () => {
  const box = new SecretBox([key]);
  assert.equal(box.open(owner, SEALED), 'whsec_c2VjcmV0');
  assert.throws(() => box.open({ ...owner, tenant: 'rival' }, SEALED));
  assert.throws(() => box.open({ ...owner, id: 'another' }, SEALED));
});

test('the newest key seals, older ones still open, and one that is missing is named', () => {
  const newer = { id: 'k2', secret: Buffer.alloc(32, 8) };
  const box = new SecretBox([newer, key]);
  assert.match(box.seal(owner, 'x'), /^seal1\.k2\./);
  assert.equal(box.open(owner, SEALED), 'whsec_c2VjcmV0');
  assert.throws(
    () => new SecretBox([newer]).open(owner, SEALED),
    /the key "k1".*PAWL_SECRET_KEYS/s,
  );
});
