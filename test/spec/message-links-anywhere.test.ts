// Message links as handlers and programs make them: over HTTP, and inside a program of one's own.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { handler } from '@pawl/server';
import { defineJob, openPawl, type Pawl, typed } from 'pawl';
import { ApiClient, RemoteSource } from 'pawl/client';
import { aesCodec, newPayloadKey } from 'pawl/codec';
import { registrationOf } from 'pawl/internal/client/registration';
import { systemTimers } from 'pawl/internal/core/timers';
import { FlowFollower } from 'pawl/internal/engine/flows/flow-follower';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { openWorld } from 'pawl/testing';
import { openStation } from './http-station.ts';

const mails: string[] = [];

const expense = defineJob('expense', {
  async run({ once, messageLink, receive }) {
    await once('ask', async () => void mails.push(await messageLink('approve', { value: 'yes' })));
    return receive('approve', typed<string>());
  },
});

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

test('a handler of a remote worker makes a link, and its answer comes to the job', async () => {
  const { api, url, pawl, client } = await openStation();
  await client.putType(expense.type, registrationOf(expense));
  const { connection } = new ApiClient({ url });
  const source = new RemoteSource({ connection });
  const worker = openWorker({ source, jobs: [expense], pollMs: { minMs: 5, maxMs: 20 } });
  const follower = new FlowFollower(api.world.context, { timers: systemTimers, everyMs: 20 });
  worker.start();
  follower.start();
  after(() => follower.stop());
  const job = await pawl.enqueue(expense);
  while (mails.length === 0) await systemTimers.turn!();
  const link = mails.pop()!;
  assert.match(link, /^https:\/\/jobs\.example\.org\/v1\/message-links\//);
  const posted = await fetch(`${url}${pathOf(link)}`, { method: 'POST' });
  assert.equal(posted.status, 202);
  assert.equal(await job.result(), 'yes');
  await worker.drain();
  await assert.rejects(job.messageLink('approve'), { code: 'ILLEGAL_TRANSITION' });
});

const waiting = defineJob('waiting', { run: ({ receive }) => receive('go', typed<string>()) });

function folderFor(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-links-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function answer(pawl: Pawl, link: string): Promise<number> {
  const mounted = await handler(pawl, { identify: () => null });
  const post = new Request(link, { method: 'POST' });
  const { status } = await mounted.fetch(post);
  const jobs = await mounted.fetch(new Request('https://app.example.org/v1/jobs'));
  assert.equal(jobs.status, 401, 'what is not signed is refused to strangers');
  await mounted.close();
  return status;
}

describe('a program', () => {
  test('makes links that its next start still answers', async (context) => {
    const folder = folderFor(context);
    const options = {
      database: join(folder, 'jobs.db'),
      jobs: [waiting],
      publicUrl: 'https://app.example.org/',
    };
    const first = await openPawl(options);
    const job = await first.enqueue(waiting);
    const links = [await job.messageLink('go', { value: 'on', ttl: '1h' })];
    links.push(await job.messageLink('go', { value: 'on', ttl: '1h' }));
    assert.notEqual(links[0], links[1], 'each is good for an answer of its own');
    await first.close();
    const second = await openPawl(options);
    assert.deepEqual(
      [await answer(second, links[0]!), await answer(second, links[0]!)],
      [202, 409],
    );
    second.work();
    assert.equal(await second.job(waiting, job.id).result(), 'on');
    await second.close();
  });

  test('without a public address makes none, and is told what to set', async (context) => {
    const folder = folderFor(context);
    const pawl = await openPawl({ database: join(folder, 'jobs.db'), jobs: [waiting] });
    const job = await pawl.enqueue(waiting);
    await assert.rejects(job.messageLink('go'), {
      code: 'NOT_CONFIGURED',
      message: /set PAWL_PUBLIC_URL for "pawl start", or `publicUrl` for openPawl/,
    });
    await pawl.close();
    assert.equal(existsSync(join(folder, 'link-keys.json')), false);
    const wrong = openPawl({ database: ':memory:', jobs: [], publicUrl: 'jobs.example.org' });
    await assert.rejects(wrong, /\/publicUrl: is "jobs.example.org": give an address such as/);
  });

  test('fails a job that asks for a link where there is no address', async () => {
    const pawl = await openPawl({ database: ':memory:', jobs: [expense] });
    pawl.work();
    const job = await pawl.enqueue(expense);
    const failed = await job.ended();
    assert.deepEqual(
      [failed.error?.class, failed.error?.code],
      ['configuration_error', 'NOT_CONFIGURED'],
    );
    await pawl.close();
  });
});

test('[D16] jobs with encrypted payloads have no links', async () => {
  const codec = aesCodec({ keys: [newPayloadKey('k1')] });
  await using world = await openWorld({ jobs: [expense, waiting], codec });
  const asked = await world.enqueue(expense);
  const failed = await asked.ended();
  assert.equal(failed.error?.class, 'configuration_error');
  assert.match(failed.error.message, /a link cannot encrypt an answer/);
  const job = await world.enqueue(waiting);
  await assert.rejects(job.messageLink('go'), /the payloads of job .* are encrypted/);
});
