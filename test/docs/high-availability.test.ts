// The settings in the guide are those of the cluster on which the failovers were proven.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patroniSettings } from '../../scripts/cluster/patroni.ts';
import { planCluster } from '../../scripts/cluster/plan.ts';
import { haproxySettings, pgbouncerSettings } from '../../scripts/cluster/proxies.ts';
import { allBlocks } from './blocks.ts';

const PATH = 'docs/guides/operate/high-availability.md';
const plan = await planCluster('/cluster');
const patroni = patroniSettings(plan.nodes[0]!, plan, { mode: 'strict', postgres: '/bin' });

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** `key: value` of YAML as JSON has it; null for a line that only opens a level. */
function pairOf(line: string): string | null {
  const [, key, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
  if (value === '') return null;
  const isPlain = /^(?:true|false|\d+)$/.test(value);
  return `"${key}":${isPlain ? value : JSON.stringify(value)}`;
}

/** Addresses differ from place to place. */
const isAddress = (line: string): boolean => line.startsWith('* = host=');

const CHECKS: Readonly<Record<string, (text: string) => string[]>> = {
  haproxy: (text) => missing(linesOf(text), linesOf(haproxySettings(plan))),
  ini: (text) => missing(linesOf(text), linesOf(pgbouncerSettings(plan))),
  yaml: (text) =>
    linesOf(text).filter((line) => {
      const pair = pairOf(line);
      return pair !== null && !patroni.includes(pair);
    }),
};

function missing(lines: readonly string[], settings: readonly string[]): string[] {
  return lines.filter((line) => !isAddress(line) && !settings.includes(line));
}

test('the settings in the guide for high availability are those of `npm run cluster`', () => {
  const blocks = allBlocks().filter(({ path, language }) => path === PATH && language in CHECKS);
  assert.deepEqual(blocks.map(({ language }) => language).toSorted(), ['haproxy', 'ini', 'yaml']);
  for (const { language, text } of blocks) assert.deepEqual(CHECKS[language]!(text), []);
});
