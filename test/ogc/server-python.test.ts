// A client in another language, of the habits that OWSLib has: no useful Accept, `response:
// document`, an unregistered preference, and every answer parsed as JSON.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openOgcServer } from './server-room.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const client = fileURLToPath(new URL('../../examples/ogc-gateway/client.py', import.meta.url));

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
