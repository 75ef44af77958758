import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backlogSeries, figuresOf } from './figures.ts';
import type { Timeline } from './timeline.ts';

const span = { from: 0, to: 100 };

function job(dueAt: number, startedAt: number | null, endedAt: number | null): Timeline {
  return { type: 'mail', queue: 'mail', attempts: [{ dueAt, startedAt, endedAt }], endedAt };
}

test('figures count who waits at the end, and slots only while they were there', () => {
  const jobs = [job(0, 10, 30), job(0, 30, 90), job(50, null, null), job(60, 120, 130)];
  const figures = figuresOf(jobs, span, [{ from: 0, to: 50, slots: 2 }]);
  assert.equal(figures.waitP50Ms, 30);
  assert.equal(figures.waitP99Ms, 50);
  assert.equal(figures.latencyP95Ms, 90);
  assert.deepEqual([figures.ended, figures.endedPerSecond, figures.waitingAtEnd], [2, 20, 2]);
  assert.equal(figures.utilisation, 0.8);
  assert.equal(figures.backlogMax, 2);
  assert.equal(figures.backlogMean, (10 + 30 + 50 + 40) / 100);
});

test('a backlog is told on average over equal parts, and nothing of it is lost between them', () => {
  const { max, means } = backlogSeries(
    [job(5, 35, 40), job(20, 20, 21), job(90, null, null)],
    span,
    10,
  );
  assert.deepEqual(means, [0.5, 1, 1, 0.5, 0, 0, 0, 0, 0, 1]);
  assert.equal(max, 1);
});

test('of nothing there are no times', () => {
  const { waitP95Ms, latencyP95Ms, utilisation, backlogMean } = figuresOf([], span, []);
  assert.deepEqual([waitP95Ms, latencyP95Ms, utilisation, backlogMean], [null, null, null, 0]);
});
