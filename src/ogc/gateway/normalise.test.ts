import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REL } from '../model/vocabulary.ts';
import { resultsHrefIn } from './normalise.ts';

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
