// `npm run picture`: the picture of the README, from a real run. A worker is killed with kill -9 in
// the middle of a job, and another one continues it; a second job fails, with its stack.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { type Fixture, openFixture } from '../test/support/browser/fixture.ts';
import { until } from '../test/support/browser/until.ts';
import { chargeOrder, importOrders } from './picture/jobs.ts';
import { inRepository } from './run/repository.ts';

const SIZE = { width: 1_140, height: 760 };
const LOOKS = ['light', 'dark'] as const;

function startWorker(url: string): ChildProcess {
  const program = inRepository('packages/pawl/src/cli/main.ts');
  const jobs = fileURLToPath(new URL('picture/jobs.ts', import.meta.url));
  const words = ['worker', '--jobs', jobs, '--url', url];
  return spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Runs the import; its first worker is killed once a third of the rows are stored. */
async function killAndContinue({ pawl, url }: Fixture): Promise<string> {
  const first = startWorker(url);
  await once(first.stderr!, 'data'); // It says that it is working.
  const job = await pawl.enqueue(importOrders, { file: 'orders.csv' });
  for await (const { progress } of job.events()) if ((progress ?? 0) >= 33) break;
  first.kill('SIGKILL');
  await once(first, 'exit');
  const second = startWorker(url);
  try {
    await job.result();
    const failed = await pawl.enqueue(chargeOrder, { order: 'A-17', card: 'visa' });
    await failed.ended();
    return `${job.id} ${failed.id}`;
  } finally {
    second.kill('SIGTERM');
  }
}

/** The path of this repository on the machine that makes the picture is left out. */
function withoutPlaces(): string {
  const place = JSON.stringify(pathToFileURL(inRepository('.')).href.replace(/\/?$/, '/'));
  return `(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      walker.currentNode.data = walker.currentNode.data.replaceAll(${place}, '');
    }
  })()`;
}

/** What the page says of a job, without the menu beside it. */
async function shoot(fixture: Fixture, id: string, colorScheme: 'light' | 'dark'): Promise<string> {
  const page = await fixture.look(`jobs/${id}`, { viewport: SIZE, colorScheme });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await until(page, `!document.body.textContent.includes('Loading…')`);
  const stack = page.getByText('Stack and causes');
  if (await stack.isVisible()) await stack.click();
  await page.evaluate(withoutPlaces());
  const main = (await page.locator('main').boundingBox())!;
  const clip = { x: main.x, y: 0, width: SIZE.width - main.x, height: SIZE.height };
  const picture = (await page.screenshot({ clip })).toString('base64');
  await page.context().close();
  return picture;
}

/** Both pages beside each other, each under a line that says what it shows. */
async function compose(page: Page, pictures: readonly string[], look: string): Promise<Buffer> {
  const captions = [
    'kill -9 of the worker: attempt 2 continues at the checkpoint',
    'a failed job: error, stack and cause',
  ];
  const parts = pictures.map((picture, index) => {
    const source = `data:image/png;base64,${picture}`;
    return `<figure><figcaption>${captions[index]}</figcaption><img src="${source}"></figure>`;
  });
  const colours = look === 'dark' ? '#0d1117;color:#e6edf3' : '#ffffff;color:#1f2328';
  await page.setContent(`<style>body{margin:0;padding:16px;display:flex;gap:16px;
    background:${colours};font:600 22px system-ui}figure{margin:0}figcaption{margin:0 0 10px}
    img{width:900px;border:1px solid #8884;border-radius:10px}</style>${parts.join('')}`);
  await page.setViewportSize({ width: 1_852, height: 100 });
  const png = (await page.screenshot({ fullPage: true })).toString('base64');
  const webp = await page.evaluate<string>(`(async () => {
    const picture = new Image();
    picture.src = 'data:image/png;base64,${png}';
    await picture.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [picture.width, picture.height];
    canvas.getContext('2d').drawImage(picture, 0, 0);
    return canvas.toDataURL('image/webp', 0.6);
  })()`);
  return Buffer.from(webp.slice(webp.indexOf(',') + 1), 'base64');
}

const fixture = await openFixture();
try {
  const ids = (await killAndContinue(fixture)).split(' ');
  const page = await fixture.look();
  for (const look of LOOKS) {
    const pictures: string[] = [];
    for (const id of ids) pictures.push(await shoot(fixture, id, look));
    const path = `docs/images/job-${look}.webp`;
    writeFileSync(inRepository(path), await compose(page, pictures, look));
    process.stdout.write(`${path}\n`);
  }
} finally {
  await fixture.close();
}
