// Several databases behind one platform, as the page of usage shows them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Fixture, openFixture } from '../support/browser/fixture.ts';
import { freePort } from '../support/free-port.ts';

describe('the databases of a platform', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-cells-'));
  let fixture: Fixture;

  before(async () => {
    // Nothing listens there, so this cell cannot be reached.
    const silent = `postgres://pawl@127.0.0.1:${await freePort()}/pawl`;
    const cells = { main: join(folder, 'main'), berlin: join(folder, 'berlin'), oslo: silent };
    const list = Object.entries(cells).map(([name, database]) => `${name}=${database}`);
    fixture = await openFixture({ PAWL_CELLS: list.join(' ') });
    await place('acme', 'berlin');
    await place('globex', 'berlin');
  });
  after(async () => {
    await fixture.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function place(tenant: string, cell: string): Promise<void> {
    const { status } = await fetch(`${fixture.url}/v1/tenants/${tenant}/cell`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ cell }),
    });
    assert.equal(status, 200);
  }

  test('are listed with their state and their tenants', async () => {
    const page = await fixture.look('usage');
    const cells = page.getByRole('region', { name: 'Databases' });
    await cells.getByRole('row', { name: /main.*ok/ }).waitFor();
    await cells.getByRole('row', { name: /oslo.*unreachable.*PAWL_CELLS/ }).waitFor();
    const berlin = cells.getByRole('row', { name: /berlin.*ok/ });
    await berlin.locator('summary', { hasText: '2' }).click();
    await berlin.getByText('acme').waitFor();
    await berlin.getByText('globex').waitFor();
    assert.deepEqual(fixture.complaints, []);
    await page.context().close();
  });
});

test('one database is not listed', async (context) => {
  const fixture = await openFixture();
  context.after(() => fixture.close());
  const page = await fixture.look('usage');
  await page.getByText('No unfinished jobs').waitFor();
  assert.equal(await page.getByRole('region', { name: 'Databases' }).count(), 0);
});
