// A server that speaks the chat completions of OpenAI, and fails in every way that such do.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface Received {
  readonly path: string;
  readonly authorization: string | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- looked into freely
  readonly body: any;
}

/** How the next request is answered. */
export type Reply = (response: ServerResponse) => void;

export interface ModelServer {
  readonly baseUrl: string;
  readonly place: string;
  readonly received: Received[];
  /** In their order; the last one is for all that come after. */
  reply(...replies: Reply[]): void;
}

export function chunkOf(content: string, finish: string | null = null): unknown {
  return {
    model: 'test-model-2026',
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  };
}

const USAGE = { prompt_tokens: 40, completion_tokens: 3, total_tokens: 43 };

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
}

/** A whole answer, a chunk a word, with its usage at the end. */
export function streams(...words: readonly string[]): Reply {
  return (response) => {
    begin(response);
    response.write(': a comment\n\n');
    for (const word of words) response.write(`data: ${JSON.stringify(chunkOf(word))}\n\n`);
    response.write(`data: ${JSON.stringify(chunkOf('', 'stop'))}\r\n\r\n`);
    response.write(`data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\n`);
    response.end('data: [DONE]\n\n');
  };
}

/** A call of one tool, its arguments in pieces. */
export function callsTool(name: string, ...pieces: readonly string[]): Reply {
  return (response) => {
    begin(response);
    const say = (delta: unknown, finish: string | null = null): void => {
      const choices = [{ index: 0, delta, finish_reason: finish }];
      response.write(`data: ${JSON.stringify({ model: 'test-model-2026', choices })}\n\n`);
    };
    const call = (part: object): object => ({ tool_calls: [{ index: 0, ...part }] });
    say(call({ id: 'call_7', function: { name, arguments: '' } }));
    for (const piece of pieces) say(call({ function: { arguments: piece } }));
    say({}, 'tool_calls');
    response.write(`data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\n`);
    response.end('data: [DONE]\n\n');
  };
}

/** Some of an answer; then `close`, `destroy`, `hang`, or these words. */
export function breaksOff(how: string): Reply {
  return (response) => {
    begin(response);
    const isCut = how === 'destroy';
    response.write(`data: ${JSON.stringify(chunkOf('Half '))}\n\n`, () => {
      if (isCut) response.destroy();
    });
    if (how === 'close') response.end();
    else if (how !== 'hang' && !isCut) response.end(`data: ${how}\n\n`);
  };
}

export function says(status: number, error: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error }));
  };
}

export const silent: Reply = () => undefined;

export async function openModelServer(context: TestContext): Promise<ModelServer> {
  const received: Received[] = [];
  let replies: Reply[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      const { authorization } = request.headers;
      received.push({ path: request.url ?? '', authorization, body });
      const reply = replies.length > 1 ? replies.shift()! : replies[0]!;
      reply(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    place: `127.0.0.1:${port}`,
    received,
    reply: (...all) => void (replies = all),
  };
}
