/** One message of a stream of server-sent events. */
export interface SseMessage {
  /** The id in force when the message came, also if it had none of its own. */
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** What is remembered between messages, and between two streams. */
export interface SseMemory {
  lastEventId: string | null;
  retryMs: number | null;
}

const MESSAGE_LENGTH_MAX = 8_388_608;

/** Reads messages as the standard says; an id without data is remembered and is no message. */
export async function* readMessages(
  body: AsyncIterable<Uint8Array>,
  memory: SseMemory,
): AsyncGenerator<SseMessage> {
  const decoder = new TextDecoder();
  let rest = '';
  let id = memory.lastEventId;
  let event = '';
  let data: string[] = [];
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > MESSAGE_LENGTH_MAX) throw new Error('a message of the stream is too long');
    // A carriage return at the very end may be half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    for (const line of lines) {
      if (line === '') {
        // Only now: a message that was cut off in the middle has not been read.
        memory.lastEventId = id;
        if (data.length > 0) {
          yield { id, event: event || 'message', data: data.join('\n') };
        }
        [event, data] = ['', []];
        continue;
      }
      const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line)!;
      if (name === 'data') data.push(value!);
      else if (name === 'event') event = value!;
      else if (name === 'id' && !value!.includes('\0')) id = value!;
      else if (name === 'retry' && /^\d+$/.test(value!)) memory.retryMs = Number(value);
    }
  }
}
