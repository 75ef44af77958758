// What must work wherever the dashboard is mounted at `/admin/jobs`.
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';

/** As long as a loaded machine may take; nothing waits so long by itself. */
const PATIENCE_MS = 60_000;

export interface MountedProgram {
  readonly url: string;
  readonly password: string;
  /** Where the program enqueues, what it is sent there, and the job's type. */
  readonly route: string;
  readonly body: object;
  readonly type: string;
}

/** Enqueues by the program's own route and looks at the job; answers with the page, still open. */
export async function browseMounted(
  browser: Browser,
  { url, password, route, body, type }: MountedProgram,
): Promise<Page> {
  const home = `${url}/admin/jobs`;
  assert.equal((await fetch(home)).status, 401);
  assert.equal((await fetch(`${home}/v1/jobs`)).status, 401);
  const made = await fetch(`${url}${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(made.status, 202);
  const { id } = (await made.json()) as { id: string };

  const context = await browser.newContext({ httpCredentials: { username: 'admin', password } });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!/^\/admin\/jobs(?:\/|$)/.test(new URL(request.url()).pathname))
      complaints.push(request.url());
  });
  await page.goto(home); // without the slash, as people type it
  assert.equal(new URL(page.url()).pathname, '/admin/jobs/');
  await page.goto(`${home}/#/jobs/${id}`);
  await page.getByRole('heading', { level: 1, name: type }).waitFor();
  await page.getByText('succeeded', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'Jobs', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  await page.getByRole('link', { name: 'API' }).click();
  await page.getByRole('link', { name: 'openapi.json' }).waitFor();
  await page.goto(`${home}/#/jobs`);
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  assert.deepEqual(complaints, []);

  // A body goes through the framework unread, and its answer leads back through the mount.
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  const sent = await fetch(`${home}/v1/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ type, input: body }),
  });
  assert.equal(sent.status, 202, await sent.clone().text());
  assert.match(sent.headers.get('location') ?? '', /^\/admin\/jobs\/v1\/jobs\/[0-9a-f-]+$/);
  return page;
}
