import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { beatOf, Reports } from './reports.ts';
import { closedStop } from './stops.ts';

const held = { ref: { tenant: 'acme', id: 'x' }, owner: 'w1', epoch: 1 };

describe('reports', () => {
  test('without news still make one beat, which is a sign of life', () => {
    const beatReports = new Reports().take();
    assert.deepEqual(
      beatReports.map((beatReport) => beatOf(held, beatReport)),
      [held],
    );
  });

  test('carry the last of what was said and everything that was kept, in order', () => {
    const reports = new Reports();
    reports.tell({ stage: 'a', progress: 10 });
    reports.tell({ progress: 5, message: 'later, and lower' });
    void reports.keep({ checkpoint: '1' });
    void reports.keep({ stageResult: { name: 'a', result: '2' } });
    assert.deepEqual(
      reports.take().map((beatReport) => beatOf(held, beatReport)),
      [
        { ...held, stage: 'a', progress: 10, message: 'later, and lower', checkpoint: '1' },
        { ...held, stageResult: { name: 'a', result: '2' } },
      ],
    );
    assert.equal(reports.hasNews, false);
  });

  test('that nobody answered are said again, and what was said since counts over them', () => {
    const reports = new Reports();
    reports.tell({ stage: 'a', progress: 10, message: 'old', log: 'one' });
    void reports.keep({ checkpoint: '1' });
    void reports.keep({ checkpoint: '2' });
    const beatReports = reports.take();
    reports.tell({ message: 'new', log: 'two' });
    for (const beatReport of beatReports.toReversed()) reports.putBack(beatReport);
    const [first, second] = reports.take().map((beatReport) => beatOf(held, beatReport));
    assert.deepEqual(
      [first?.stage, first?.progress, first?.message, first?.checkpoint, second?.checkpoint],
      ['a', 10, 'new', '1', '2'],
    );
    assert.deepEqual(
      first?.notes?.map(({ message }) => message),
      ['one', 'two'],
    );
  });

  test('accept nothing once closed, and tell those who wait why', async () => {
    const reports = new Reports();
    const waiting = reports.keep({ checkpoint: '1' });
    const stop = closedStop();
    reports.close(() => stop);
    await assert.rejects(waiting, stop);
    await assert.rejects(reports.keep({ checkpoint: '2' }), stop);
    reports.tell({ log: 'too late' });
    assert.equal(reports.hasNews, false);
  });

  test('of a progress that is no number change nothing', () => {
    const reports = new Reports();
    for (const progress of [Number.NaN, -1, 0]) reports.tell({ progress });
    assert.equal(reports.hasNews, false);
  });
});

test('streamed text is kept whole, in notes that are not too long', () => {
  const reports = new Reports();
  const piece = '💥 token ';
  for (let n = 0; n < 20_000; n++) reports.tell({ tokens: piece });
  const notes = reports.take()[0]!.said.notes!;
  const texts = notes.map(({ payload }) => payload!['text'] as string);
  assert.equal(texts.join(''), piece.repeat(20_000));
  assert.ok(texts.length > 1);
  for (const text of texts) assert.ok(Buffer.byteLength(text) <= 65_536);
});

test('what is said within one renewal is bounded as a whole, and what is left out is counted', () => {
  const reports = new Reports();
  for (let n = 0; n < 100; n++) reports.tell({ log: 'x'.repeat(16_384) });
  const notes = reports.take()[0]!.said.notes!;
  const characters = notes.reduce((sum, { message }) => sum + message!.length, 0);
  assert.ok(characters <= 512 * 1_024 + 100, `${characters}`);
  assert.match(notes.at(-1)!.message!, /^68 more lines/);
  reports.tell({ log: 'and on' });
  assert.equal(reports.take()[0]!.said.notes![0]!.message, 'and on');
});
