// The program of a client under test: a command a line goes in, an answer a line comes out.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The client refused a command, with the code that it was given. */
export class Refusal extends Error {
  readonly code: string;

  constructor({ code, message }: { code: string; message: string }) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface Driver {
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  ask(verb: string, members?: object): Promise<any>;
  close(): Promise<void>;
}

export interface DriverOptions {
  readonly command: readonly string[];
  readonly url: string;
  readonly cwd?: string;
}

export function startDriver({ command, url, cwd }: DriverOptions): Driver {
  const [program = '', ...args] = command;
  const env = { ...process.env, PAWL_URL: url };
  const child = spawn(program, args, { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  const giveUp = (why: string): void => {
    for (const one of open.values()) one.reject(new Error(`the client's program ${why}`));
    open.clear();
  };
  createInterface(child.stdout).on('line', (line) => {
    const { id, value, error } = JSON.parse(line) as Answer;
    const one = open.get(id);
    open.delete(id);
    if (error === undefined) one?.resolve(value ?? null);
    else one?.reject(new Refusal(error));
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      giveUp(`could not be started: ${error.message}`);
      resolve();
    });
    child.once('exit', (code) => {
      giveUp(`ended with ${code} before it had answered`);
      resolve();
    });
  });
  // A program that has ended is told of by its exit, not by the pipe.
  child.stdin.on('error', () => undefined);
  return {
    ask: (verb, members = {}) => {
      const id = ++asked;
      const answer = Promise.withResolvers<unknown>();
      open.set(id, answer);
      child.stdin.write(`${JSON.stringify({ id, do: verb, ...members })}\n`);
      return answer.promise;
    },
    close: () => {
      child.stdin.end();
      return ended;
    },
  };
}
