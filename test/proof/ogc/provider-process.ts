// A provider in a process of its own that keeps its jobs in a file, as a real one does, so that a
// kill -9 loses none: `provider-process.ts <file> <port>`. Its jobs end when `<file>.go` exists.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Kept {
  readonly id: string;
  readonly created: string;
  readonly inputs: unknown;
}

const [file = '', port = '0'] = process.argv.slice(2);
const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
// A kill may have cut the last line.
const whole = lines.slice(0, -1).map((line) => JSON.parse(line) as Kept);
const jobs = new Map(whole.map((job) => [job.id, job]));
const PAGE = 1_000;

function json(response: ServerResponse, status: number, body: unknown, location?: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  if (location !== undefined) response.setHeader('location', location);
  response.end(JSON.stringify(body));
}

function statusOf({ id, created, inputs }: Kept): object {
  const status = existsSync(`${file}.go`) ? 'successful' : 'running';
  return { jobID: id, type: 'process', processID: 'echo', status, created, request: { inputs } };
}

function begin(body: string): Kept {
  const { inputs } = JSON.parse(body) as { inputs?: unknown };
  const job = { id: `r${jobs.size + 1}`, created: new Date().toISOString(), inputs };
  appendFileSync(file, `${JSON.stringify(job)}\n`);
  jobs.set(job.id, job);
  return job;
}

function answer(method: string, url: URL, body: string, response: ServerResponse): void {
  const [, what, id = '', more = ''] = url.pathname.split('/');
  if (what === 'processes' && method === 'POST') {
    const job = begin(body);
    return json(response, 201, statusOf(job), `${url.origin}/jobs/${job.id}`);
  }
  if (what === 'processes' && id !== '') {
    return json(response, 200, { id, version: '1.0.0', inputs: {}, outputs: {} });
  }
  if (what === 'jobs' && id === '') {
    const from = Number(url.searchParams.get('offset') ?? 0);
    const all = [...jobs.values()].toReversed();
    const next = { rel: 'next', href: `${url.origin}/jobs?offset=${from + PAGE}` };
    const page = all.slice(from, from + PAGE).map(statusOf);
    return json(response, 200, { jobs: page, links: from + PAGE < all.length ? [next] : [] });
  }
  const job = jobs.get(id);
  if (job === undefined) return json(response, 404, { title: 'no such job' });
  return json(response, 200, more === 'results' ? { echoed: job.inputs } : statusOf(job));
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', `http://127.0.0.1:${port}`);
  answer(request.method ?? 'GET', url, Buffer.concat(chunks).toString(), response);
}

const server = createServer((request, response) => void handle(request, response));
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
