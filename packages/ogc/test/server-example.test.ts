// examples/ogc-gateway: a job that is a process, a providers file, and a client in another language
// of the habits that OWSLib has: no useful Accept, `response: document`, an unregistered
// preference, and every answer parsed as JSON.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { boxArea } from '../../../examples/ogc-gateway/jobs.ts';
import { readConfiguration } from '../src/gateway/configuration.ts';
import { openOgcServer } from './server-fixture.ts';

function example(name: string): string {
  return fileURLToPath(new URL(`../../../examples/ogc-gateway/${name}`, import.meta.url));
}

const hasPython = spawnSync('python3', ['--version']).status === 0;
const client = example('client.py');

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

function run(...args: readonly string[]): Promise<Ran> {
  const child = spawn('python3', ['-u', client, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => (output += text.toString()));
  }
  return new Promise((ended) => child.once('close', (code) => ended({ code, output })));
}

test(
  'a client as OWSLib is one finds its way: processes, sync and async execution, results',
  { skip: hasPython ? false : 'python3 is not installed' },
  async () => {
    const server = await openOgcServer();
    const { code, output } = await run(server.url, 'echo', '{"message": "Grüße"}');
    assert.equal(code, 0, output);
    assert.match(output, /processes: echo/);
    assert.match(output, /sync: {"message": "Grüße", "pause": 0}/);
    assert.match(output, /async: successful/);
    assert.match(output, /results: {"message": "Grüße", "pause": 0}/);
    const wrong = await run(server.url, 'echo', '{}');
    assert.equal(wrong.code, 1);
    assert.match(wrong.output, /400 .*message: is missing/);
  },
);

test('the job of the example is a process', async () => {
  const server = await openOgcServer({ jobs: [boxArea] });
  const body = { inputs: { bbox: [7, 50, 9, 51] }, response: 'document' };
  const { status, json } = await server.post('/processes/box-area/execution', body);
  assert.equal(status, 200);
  assert.deepEqual(json, { area: 2, width: 2 });
});

test('the providers file of the example can be read', () => {
  const { providers } = readConfiguration(readFileSync(example('providers.json'), 'utf8'), {});
  assert.deepEqual([...providers.keys()], ['demo']);
});
