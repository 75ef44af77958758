import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Call } from '../client/connection.ts';
import { ApiClient } from '../client/client.ts';
import { UsageError } from './exit-code.ts';
import { Screen } from './terminal/screen.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly url?: string;
  readonly key?: string;
  readonly json?: boolean;
}

/** One run of a command against a running server. */
export interface Session {
  readonly url: string;
  readonly client: ApiClient;
  readonly screen: Screen;
  /** For what the client has no word of its own; answers with the body. */
  call<Body>(call: Call): Promise<Body>;
}

export const DEFAULT_URL = 'http://127.0.0.1:8080';

export function urlOf(options: GlobalOptions, env: NodeJS.ProcessEnv): string {
  const url = options.url ?? env['PAWL_URL'] ?? DEFAULT_URL;
  if (URL.canParse(url)) return url;
  throw new UsageError(`"${url}" is not an address: give one such as ${DEFAULT_URL}`);
}

export function keyOf(options: GlobalOptions, env: NodeJS.ProcessEnv): string | undefined {
  const key = options.key ?? env['PAWL_KEY'];
  if (key !== undefined) return key;
  const file = env['PAWL_KEY_FILE'];
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new UsageError(`PAWL_KEY_FILE names ${file}, which cannot be read`);
  }
}

export function openSession(options: GlobalOptions, env: NodeJS.ProcessEnv): Session {
  const url = urlOf(options, env);
  const key = keyOf(options, env);
  const client = new ApiClient({
    url,
    retriesMax: 2,
    ...(key === undefined ? {} : { token: key }),
  });
  return {
    url,
    client,
    screen: new Screen({ isJson: options.json === true }),
    call: async <Body>(call: Call) => (await client.connection.call(call)).body as Body,
  };
}

/** Arguments and options of a command. */
export interface Given<Options> {
  readonly words: readonly string[];
  readonly options: Options;
}

/** An action of a command that uses the server. */
export function onServer<Options = object>(
  act: (session: Session, given: Given<Options>) => Promise<void>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const session = openSession(command.optsWithGlobals(), process.env);
    await act(session, { words: command.args, options: command.opts<object>() as Options });
  };
}

/** Rows as a table for people, or a line of JSON each for programs. */
export function isForPrograms(session: Session, rows: readonly unknown[]): boolean {
  if (!session.screen.isJson) return false;
  for (const row of rows) session.screen.json(row);
  return true;
}
