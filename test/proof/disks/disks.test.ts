// A dozen of the variants; `npm run proof:disks` plays all of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { play, whyNoBadDisks } from './play.ts';

const CHOSEN = [
  'a disk that is full while enqueueing',
  'a disk that is full during a backup',
  'a disk that is read-only while claiming',
  'a disk that is slow while completing',
  'a disk that is failing to sync while enqueueing',
  'a disk that is failing to sync at opening',
  'a disk that is failing to write while completing',
  'a disk that is over its quota at a checkpoint',
  'a flipped bit in an input',
  'a flipped bit in an entry of the log',
  'a flipped bit in the kind of a page',
  'a disk that lies about syncs and keeps half of the log',
];

const reason = whyNoBadDisks();
const skip = reason === null ? {} : { skip: reason };

test(
  '[P1, P2] on a bad disk nothing acknowledged is lost unnoticed, and the health is right',
  skip,
  async () => {
    const names: string[] = [];
    const found: string[] = [];
    await play(CHOSEN, (one) => {
      names.push(one.name);
      found.push(...one.found.map((fault) => `${one.name}: ${fault}`));
    });
    assert.deepEqual(found, []);
    assert.deepEqual(names.toSorted(), CHOSEN.toSorted());
  },
);
