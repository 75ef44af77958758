import { REMEDIES, type StoreHealth } from '../store/health.ts';
import type { Check } from './checks.ts';
import type { Facts } from './facts.ts';
import { type Found, found, good } from './finding.ts';

/** Whether the database takes writes. */
export function disk({ health: { state, detail } }: { readonly health: StoreHealth }): Found[] {
  if (state === 'ok') return [good('the database takes writes')];
  const what = state === 'readOnly' ? 'read-only' : state;
  return [found('fault', `no writes, the database is ${what}: ${detail}`, REMEDIES[state])];
}

function checksums({ figures }: Facts): Found[] {
  const { engine, settings } = figures;
  if (engine === 'memory') return [];
  if (engine === 'sqlite') return [good('rows of ended jobs and of the log carry checksums')];
  if (settings['data_checksums'] === 'on') return [good('pages of the database carry checksums')];
  return [
    found(
      'notice',
      'data_checksums is off: the server does not notice bytes that its disk changes',
      'Stop the server, run pg_checksums --enable, and start it again.',
    ),
  ];
}

function lost({ figures }: Facts): Found[] {
  if (figures.lost === null) return [good('no committed entry of the log is known to be lost')];
  const action =
    'The disk lost what it had confirmed: replace it or turn off its write cache, and send the ' +
    'requests of that time again with the same ids or idempotency keys.';
  return [found('fault', figures.lost, action)];
}

function pages({ broken }: Facts): Found[] {
  if (broken.length === 0) return [good('the integrity check of the database found no damage')];
  return broken.map((message) => found('fault', message, REMEDIES.damaged));
}

/** What can be wrong with the disk under a database. */
export const DISK_CHECKS: readonly Check[] = [
  { name: 'disk', run: disk },
  { name: 'checksums', run: checksums },
  { name: 'lost commits', run: lost },
  { name: 'pages', run: pages },
];
