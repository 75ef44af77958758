/** The bytes up to the bound; all of them again, as they come, where there are more. */
export async function begin(
  body: Uint8Array | AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<{ start: Uint8Array; rest: AsyncIterableIterator<Uint8Array> | null }> {
  if (body instanceof Uint8Array) return { start: body, rest: null };
  const iterator = body[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= bytesMax) {
    const next = await iterator.next();
    if (next.done === true) return { start: Buffer.concat(chunks), rest: null };
    chunks.push(next.value);
    bytes += next.value.byteLength;
  }
  const start = Buffer.concat(chunks);
  return { start, rest: resumed(start, iterator) };
}

/** Not a generator: one that nobody has begun would leave the body open when it is left. */
function resumed(
  start: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
): AsyncIterableIterator<Uint8Array> {
  let isBegun = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => {
      if (isBegun) return iterator.next();
      isBegun = true;
      return Promise.resolve({ done: false, value: start });
    },
    return: async () => {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
}
