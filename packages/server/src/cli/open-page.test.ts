import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mayOpenPage, openerOf } from './open-page.ts';

describe('the page of pawl dev', () => {
  test('is opened for a person at a terminal, and for nobody else', () => {
    const terminal = { isTTY: true };
    assert.equal(mayOpenPage({}, terminal), true);
    assert.equal(mayOpenPage({ CI: 'false' }, terminal), true);
    assert.equal(mayOpenPage({ CI: 'true' }, terminal), false);
    assert.equal(mayOpenPage({ CI: '1' }, terminal), false);
    assert.equal(mayOpenPage({}, {}), false);
  });

  test('is opened by what the platform has for it', () => {
    assert.deepEqual(openerOf('darwin'), ['open']);
    assert.deepEqual(openerOf('win32'), ['cmd', '/c', 'start', '']);
    assert.deepEqual(openerOf('linux'), ['xdg-open']);
    assert.deepEqual(openerOf('freebsd'), ['xdg-open']);
  });
});
