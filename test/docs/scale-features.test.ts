// What the guide on capacity says about PostgreSQL is what the SQL of the store says.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inRepository, repositoryFolder } from '../../scripts/run/repository.ts';

const sql = globSync('packages/pawl/src/store/postgres/**/*.{ts,sql}', { cwd: repositoryFolder })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => readFileSync(inRepository(path), 'utf8'))
  .join('\n');
const page = readFileSync(inRepository('docs/guides/operate/capacity.md'), 'utf8');

const USED: Readonly<Record<string, RegExp>> = {
  'functions in PL/pgSQL with `SET` clauses': /LANGUAGE plpgsql SET |ALTER FUNCTION/,
  triggers: /CREATE TRIGGER/,
  '`FOR UPDATE SKIP LOCKED`': /FOR UPDATE.*SKIP LOCKED/,
  'advisory locks of a transaction': /pg_advisory_xact_lock|pg_try_advisory_xact_lock/,
  'partitions by range': /PARTITION BY RANGE/,
  '`pg_locks`': /FROM pg_locks/,
  'deferred constraint triggers': /DEFERRABLE INITIALLY DEFERRED/,
  '`ON CONFLICT`, materialised CTEs, partial indexes':
    /^(?=[\s\S]*ON CONFLICT)[\s\S]*AS MATERIALIZED/,
  '`CREATE INDEX CONCURRENTLY`': /CREATE INDEX CONCURRENTLY/,
  'row-level security': /ROW LEVEL SECURITY/,
  '`LISTEN`/`NOTIFY`': /^(?=[\s\S]*\bLISTEN )[\s\S]*pg_notify/,
};

for (const [feature, pattern] of Object.entries(USED)) {
  test(`the scale guide lists ${feature}, which the store uses`, () => {
    assert.ok(page.includes(`| ${feature} |`), feature);
    assert.ok(pattern.test(sql), `nothing in the store is like ${pattern}`);
  });
}

test('the scale guide says what the store does not use', () => {
  assert.ok(page.includes('| extensions | not used | no |'));
  assert.ok(!/CREATE EXTENSION/.test(sql));
});

test('every figure of costs in the scale guide is one that was measured', () => {
  const costs = readFileSync(inRepository('bench/results/costs.md'), 'utf8');
  const life = /a life, by 100\*\* \| ([\d,]+) \| ([\d.]+)/.exec(costs)!;
  const kilobytes = Number(life[1]!.replaceAll(',', '')) / 1_000;
  assert.ok(page.includes(`| ${kilobytes.toFixed(1)} KB |`), `${kilobytes} KB`);
  assert.ok(page.includes(`| ${Number(life[2]).toFixed(2)} ms |`), `${life[2]} ms`);
});
