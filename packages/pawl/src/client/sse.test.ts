import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMessages, type SseMemory, type SseMessage } from './sse.ts';

async function read(chunks: readonly string[], memory: SseMemory): Promise<SseMessage[]> {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
  }
  const messages: SseMessage[] = [];
  for await (const message of readMessages(body(), memory)) messages.push(message);
  return messages;
}

function fresh(): SseMemory {
  return { lastEventId: null, retryMs: null };
}

test('messages are read whatever the line ends and wherever the chunks are cut', async () => {
  const text =
    'retry: 1234\n\nid: 1\r\nevent: a\r\ndata: {"x":\r\ndata: 1}\r\n\r\n: note\nid: 2\ndata:b\n\n';
  const expected = [
    { id: '1', event: 'a', data: '{"x":\n1}' },
    { id: '2', event: 'message', data: 'b' },
  ];
  for (let cut = 1; cut < text.length; cut++) {
    const memory = fresh();
    assert.deepEqual(await read([text.slice(0, cut), text.slice(cut)], memory), expected);
    assert.deepEqual(memory, { lastEventId: '2', retryMs: 1234 });
  }
});

test('a message that was cut off has not been read: its id is not kept', async () => {
  const text = 'id: 1\ndata: a\n\nid: 2\ndata: b\n\n';
  for (let cut = 0; cut < text.length; cut++) {
    const memory = fresh();
    const messages = await read([text.slice(0, cut)], memory);
    assert.equal(memory.lastEventId, messages.at(-1)?.id ?? null);
  }
});

test('an id without data is kept and is no message', async () => {
  const memory = fresh();
  assert.deepEqual(await read(['id: 7\n\n'], memory), []);
  assert.equal(memory.lastEventId, '7');
});

test('text beyond ASCII survives a cut inside a character', async () => {
  const bytes = Buffer.from('data: 🐎\n\n').toString('latin1');
  for (let cut = 1; cut < bytes.length; cut++) {
    const [message] = await read([bytes.slice(0, cut), bytes.slice(cut)], fresh());
    assert.equal(message?.data, '🐎');
  }
});
