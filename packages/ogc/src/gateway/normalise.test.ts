import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REL } from '../model/vocabulary.ts';
import { normalise, resultsHrefIn } from './normalise.ts';

const base = { jobID: '1', status: 'successful', type: 'process' } as const;

test('[O16] of several results links the one for programs is taken, in whatever order they come', () => {
  const html = { href: '/r?f=html', rel: REL.results, type: 'text/html' };
  const json = { href: '/r?f=json', rel: REL.results, type: 'application/json' };
  const bare = { href: '/r', rel: REL.results };
  assert.equal(resultsHrefIn({ ...base, links: [html, json] }), '/r?f=json');
  assert.equal(resultsHrefIn({ ...base, links: [html, bare] }), '/r');
  assert.equal(resultsHrefIn({ ...base, links: [html] }), '/r?f=html');
  assert.equal(resultsHrefIn(base), null);
});

test('[O10, O15] `updated` is the time at which we heard of it, whatever the provider says', () => {
  const now = Date.UTC(2026, 0, 2);
  const job = { id: 'ours', processId: 'sim:echo', createdAt: Date.UTC(2026, 0, 1) };
  const options = { job, previous: null, now, rewriteRemoteLinks: true };
  for (const status of ['accepted', 'running', 'successful', 'failed'] as const) {
    const remote = { ...base, status, updated: '2001-01-01T00:00:00.000Z', created: '2001-01-01' };
    const told = normalise(remote, options);
    assert.equal(told.updated, '2026-01-02T00:00:00.000Z');
    assert.equal(told.created, '2026-01-01T00:00:00.000Z');
  }
});
