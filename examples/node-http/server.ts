// A web server of plain node:http that hands slow work to jobs.
//   npm run example examples/node-http/server.ts
//   curl -X POST 'http://127.0.0.1:3000/thumbnails?picture=cat.png'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { defineJob, openPawl, type PawlError, typed } from 'pawl';

const thumbnail = defineJob('thumbnail', {
  input: typed<{ picture: string }>(),
  async run({ input, signal }) {
    await pause(50, undefined, { signal }); // stands for the work
    return `small-${input.picture}`;
  },
});

const pawl = await openPawl({ database: process.env['DATABASE'] ?? ':memory:', jobs: [thumbnail] });
pawl.work();

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, id] = /^\/thumbnails\/([\w-]+)$/.exec(url.pathname) ?? [];
  try {
    if (request.method === 'POST' && url.pathname === '/thumbnails') {
      const picture = url.searchParams.get('picture') ?? '';
      const { id: made } = await pawl.enqueue(thumbnail, { picture });
      return send(response, 202, { id: made }); // on disk by now
    }
    if (request.method === 'GET' && id !== undefined) {
      const { state, progress, result } = await pawl.job(thumbnail, id).snapshot();
      return send(response, 200, { state, progress, result });
    }
    return send(response, 404, { error: 'there is nothing here' });
  } catch (error) {
    const { status = 500, message } = error as Partial<PawlError>;
    return send(response, status, { error: message });
  }
}

const server = createServer((request, response) => void answer(request, response));

server.listen(Number(process.env['PORT'] ?? 3_000), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : address;
  console.log(`http://127.0.0.1:${port}`);
});

process.once('SIGTERM', () => {
  server.close();
  void pawl.close(); // handlers in flight come to their end
});
