import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { referenceOf, shrink, textIn } from './reference.ts';

class Shelf {
  readonly kept = new Map<string, Uint8Array>();

  readonly put = async (content: Uint8Array): Promise<string> => {
    const id = randomUUID();
    this.kept.set(id, content);
    return id;
  };

  async *get(reference: string): AsyncGenerator<Uint8Array> {
    const content = this.kept.get(referenceOf(reference)!)!;
    yield content.subarray(0, 3);
    yield content.subarray(3);
  }
}

test('a small value stays itself, a large one becomes a reference and comes back', async () => {
  const shelf = new Shelf();
  const small = '{"a":"ü"}';
  assert.equal(await shrink(small, shelf.put, 10), small);
  const reference = await shrink(small, shelf.put, 9);
  assert.match(reference, /^\{"\$artifact":"[0-9a-f-]{36}"\}$/);
  assert.equal(await textIn(shelf.get(reference)), small);
});

test('a value that looks like a reference is kept apart from one', async () => {
  const shelf = new Shelf();
  const lookalike = JSON.stringify({ $artifact: randomUUID() });
  const shrunk = await shrink(lookalike, shelf.put);
  assert.notEqual(shrunk, lookalike);
  assert.equal(await textIn(shelf.get(shrunk)), lookalike);
});

test('only a whole value that is nothing else is a reference', () => {
  const id = randomUUID();
  assert.equal(referenceOf(JSON.stringify({ $artifact: id })), id);
  for (const other of [
    { $artifact: id, more: 1 },
    { $artifact: 'no id' },
    { $artifact: 7 },
    [{ $artifact: id }],
    { a: { $artifact: id } },
    id,
    null,
  ]) {
    assert.equal(referenceOf(JSON.stringify(other)), null, JSON.stringify(other));
  }
});
