import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobEventJson } from 'pawl/internal/contract/job';
import { grown, NO_HISTORY } from '../../packages/dashboard/src/history.ts';
import { onEveryStore } from '../support/browser/on-every-store.ts';
import { exhibit } from '../support/browser/stage-jobs.ts';
import { until } from '../support/browser/until.ts';
import { watchWhile } from '../support/browser/watch.ts';

const JOBS = 500;
const LINES = 1_500;
const ELEMENTS_MAX = 3_000;
/** The history of a job is drawn ten times a second, its clocks and its row a few times more. */
const CHANGES_A_SECOND_MAX = 30;
const CHANGES_AT_FIRST_MAX = 30;

function changesMax(seconds: number): number {
  return CHANGES_AT_FIRST_MAX + seconds * CHANGES_A_SECOND_MAX;
}

await onEveryStore.describe('very much at once', (scene) => {
  test('a list of many jobs stays small and is drawn in batches, whatever arrives', async () => {
    const { page, fixture } = scene;
    const wish = { type: 'errand', input: {} };
    await scene.visit('jobs');
    await page.getByText('live', { exact: true }).waitFor();
    const seen = await watchWhile(page, async () => {
      const made = await fixture.client.enqueueMany(Array.from({ length: JOBS }, () => wish));
      await fixture.client.waitForEnd(made.at(-1)!.job!.id);
      await page.locator('tbody tr').nth(49).waitFor();
    });
    assert.equal(await page.locator('tbody tr').count(), 50);
    assert.ok(seen.nodes <= ELEMENTS_MAX, `${seen.nodes} elements`);
    assert.ok(
      seen.changes <= changesMax(seen.seconds),
      `${seen.changes} changes in ${seen.seconds} s, for ${4 * JOBS} events`,
    );
    await page.getByRole('link', { name: 'older →' }).click();
    await page.getByRole('link', { name: '← newest' }).waitFor();
    assert.equal(await page.locator('tbody tr').count(), 50);
  });

  test('a job with a long log is shown by its end, drawn in batches, the rest on demand', async () => {
    const { page, fixture } = scene;
    const lines = Array.from({ length: LINES }, (_, at) => `line ${at}`);
    await page.getByText('live', { exact: true }).waitFor();
    const loud = await fixture.pawl.enqueue(exhibit, { files: [], lines });
    await scene.visit(`jobs/${loud.id}`);
    const seen = await watchWhile(page, async () => {
      await page.locator('h1 .state', { hasText: 'succeeded' }).waitFor();
      await page
        .getByText(`line ${LINES - 1}`, { exact: false })
        .last()
        .waitFor();
    });
    assert.ok(seen.nodes <= ELEMENTS_MAX, `${seen.nodes} elements`);
    assert.ok(
      seen.changes <= changesMax(seen.seconds),
      `${seen.changes} changes in ${seen.seconds} s, for ${2 * LINES} notes`,
    );
    const shown = page.locator('.note-list li');
    assert.equal(await shown.count(), 100);
    await page.getByRole('button', { name: /earlier/ }).click();
    await until(page, `document.querySelectorAll('.note-list li').length === 200`);
  });
});

test('the page remembers what moved a job and the latest of its notes, however many came', () => {
  const event = (type: string, version: number): JobEventJson =>
    ({ type, version, metadata: { text: 'word ' } }) as unknown as JobEventJson;
  let history = grown(NO_HISTORY, [event('job_created', 1), event('job_claimed', 2)]);
  for (let round = 0; round < 100; round++) {
    history = grown(
      history,
      Array.from({ length: 100 }, () => event('job_tokens', 2)),
    );
  }
  assert.deepEqual(
    history.events.slice(0, 3).map(({ type }) => type),
    ['job_created', 'job_claimed', 'job_tokens'],
  );
  assert.equal(history.events.length, 1_002);
  assert.equal(history.forgotten, 9_000);
  assert.equal(history.text.length, 50_000);
});
