import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onOneStore } from '../support/browser/on-every-store.ts';
import { until } from '../support/browser/until.ts';

const DRAWN = fileURLToPath(new URL('../fixtures/documents/harbour.pdf', import.meta.url));
const DOCUMENT = `# Rivers

## The Rhine

The Rhine flows from the Alps to the North Sea. It is 1,233 kilometres long.

## The Elbe

The Elbe rises in the Giant Mountains and is 1,094 kilometres long.
`;

onOneStore.describe('the studio', (scene) => {
  test('[T1] a document that is dropped becomes a deck to browse, to export and to ask', async () => {
    const { page } = scene;
    await scene.visit('studio');
    await page.getByLabel('Document').setInputFiles({
      name: 'rivers.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from(DOCUMENT),
    });
    await page.getByText('3 slides from md').waitFor();
    await page.getByRole('button', { name: 'Slide 2' }).click();
    await page.getByRole('img', { name: 'Slide 2 of 3' }).waitFor();
    await until(page, "document.querySelector('.slides .large').naturalWidth > 0");

    await page.getByRole('button', { name: 'Create .pptx' }).click();
    const link = page.getByRole('link', { name: /Download .*\.pptx/ });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    assert.match(download.suggestedFilename(), /\.pptx$/);
    assert.equal(await download.failure(), null);

    await page.getByLabel('Question').fill('How long is the Elbe?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('article').getByText('1,094 kilometres').first().waitFor();
  });

  test('[T1] shows beside a slide what it lost, and the source, by the programs that drew them', async () => {
    const { page } = scene;
    await scene.visit('studio');
    await page.getByLabel('Draw the source as well, to compare').check();
    await page.getByLabel('Document').setInputFiles(DRAWN);
    await page.getByText('3 slides from pdf, read by pdf.js').waitFor();
    await page.getByLabel('Losses', { exact: true }).getByText('dropped').waitFor();
    await page.getByRole('button', { name: 'Slide 2' }).click();
    const losses = page.getByRole('list', { name: 'Losses of slide 2' });
    await losses.getByText('LAYOUT_GUESSED').waitFor();
    await page.getByText('Deck, slide 2, drawn by pawl.').waitFor();
    await page.getByText('Source, page 2, drawn by pdf.js.').waitFor();
    await page.getByRole('img', { name: 'Page 2 of 3 of the source' }).waitFor();
    await page.getByRole('button', { name: 'Create .pdf' }).click();
    await page.getByRole('link', { name: /Download .*\.pdf/ }).waitFor();
  });
});
