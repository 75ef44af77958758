import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Static, Type } from 'typebox';
import {
  defineJob,
  distributed,
  fail,
  fromTypebox,
  type JobDefinition,
  PermanentError,
} from 'pawl/define';

// Runs a command that whoever runs the platform has allowed, and no other: without a shell, an
// environment or a folder of anybody's. Try: PAWL_EXECUTE_ALLOW=/usr/bin/wc npm start, then
// pawl enqueue execute -i '{"command":"wc","args":["-w"],"stdin":"three short words"}'

const ExecuteInputSchema = Type.Object(
  {
    command: Type.String({ minLength: 1, maxLength: 512, description: 'Its name, or its path.' }),
    args: Type.Optional(
      Type.Array(Type.String({ maxLength: 10_000, pattern: '^[^\\u0000]*$' }), { maxItems: 100 }),
    ),
    stdin: Type.Optional(Type.String({ maxLength: 262_144 })),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 600_000 })),
  },
  { additionalProperties: false },
);

const ExecuteResultSchema = Type.Object({
  exitCode: Type.Integer(),
  stdout: Type.String(),
  stderr: Type.String(),
});

export type ExecuteInput = Static<typeof ExecuteInputSchema>;
export type ExecuteResult = Static<typeof ExecuteResultSchema>;

export interface ExecuteDependencies {
  /** Absolute paths; none unless somebody allows some. */
  readonly allow: readonly string[];
}

const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES_MAX = 256 * 1024;
const STDERR_SHOWN = 500;

/** An allowed command in a limited child process. A code other than 0 fails the job for good. */
export function executeJob({
  allow,
}: ExecuteDependencies): JobDefinition<ExecuteInput, ExecuteResult> {
  return defineJob('execute', {
    lifecycle: distributed,
    input: fromTypebox(ExecuteInputSchema),
    result: fromTypebox(ExecuteResultSchema),
    concurrency: 4,
    timeout: '630s',
    run: async ({ input, signal }): Promise<ExecuteResult> => {
      const path = allowedPath(allow, input.command);
      const folder = await mkdtemp(join(tmpdir(), 'pawl-execute-'));
      try {
        const result = await run(path, input, { folder, signal });
        if (result.exitCode === 0) return result;
        const said = result.stderr.trim().slice(0, STDERR_SHOWN);
        const why = `${result.exitCode}: ${said || 'it said nothing'}`;
        const message = `${input.command} ended with ${why}`;
        throw new PermanentError(message, { code: 'EXECUTE_FAILED', details: result });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  });
}

function allowedPath(allow: readonly string[], command: string): string {
  const found = allow.find((path) => path === command || basename(path) === command);
  if (found !== undefined) return found;
  const known = allow.length === 0 ? 'no command is' : `allowed are ${allow.join(', ')}`;
  const way = 'its operator can add the path to PAWL_EXECUTE_ALLOW';
  const message = `"${command}" is not allowed (${known}): ${way}`;
  throw fail('configuration_error', message, { code: 'EXECUTE_NOT_ALLOWED' });
}

interface Environment {
  readonly folder: string;
  readonly signal: AbortSignal;
}

function run(
  path: string,
  input: ExecuteInput,
  { folder, signal }: Environment,
): Promise<ExecuteResult> {
  signal.throwIfAborted();
  const { args = [], stdin = '', timeoutMs = TIMEOUT_MS } = input;
  // A group of its own, so that its children end with it.
  const child = spawn(path, args, { cwd: folder, env: {}, shell: false, detached: true });
  const ended = Promise.withResolvers<ExecuteResult>();
  const end = (reason: unknown): void => {
    ended.reject(reason);
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It was faster.
    }
  };
  const what = `${basename(path)} took longer than ${timeoutMs} ms`;
  const late = (): void => end(fail('permanent_timeout', what, { code: 'EXECUTE_TIMEOUT' }));
  const timer = setTimeout(late, timeoutMs);
  const stop = (): void => end(signal.reason);
  signal.addEventListener('abort', stop);
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => collect(stream, end));
  child.stdin.on('error', () => undefined).end(stdin);
  child.on('error', (error) => {
    const message = `${path} cannot be run: ${error.message}`;
    end(fail('configuration_error', message, { code: 'EXECUTE_NOT_RUNNABLE', cause: error }));
  });
  child.on('close', (code, killedBy) => {
    if (killedBy !== null) end(new PermanentError(`${basename(path)} was ended by ${killedBy}`));
    ended.resolve({ exitCode: code ?? -1, stdout: stdout!(), stderr: stderr!() });
  });
  return ended.promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  });
}

/** Gathers what comes, up to a bound. */
function collect(stream: NodeJS.ReadableStream, end: (reason: unknown) => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes <= OUTPUT_BYTES_MAX) chunks.push(chunk);
    else {
      const message = `it wrote more than ${OUTPUT_BYTES_MAX} bytes: let it write less`;
      end(fail('resource_limit_exceeded', message, { code: 'EXECUTE_OUTPUT_TOO_LARGE' }));
    }
  });
  return () => Buffer.concat(chunks).toString();
}
