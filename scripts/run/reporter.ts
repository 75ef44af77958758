// A reporter for node:test: collects one result a test and yields text about failures only.
import { inspect } from 'node:util';
import { shortPath } from './repository.ts';
import type { FileResult, Outcome, TestResult } from './test-results.ts';

/** The parts of node:test's events that are used here. */
export interface RunnerEvent {
  type: string;
  data: {
    name?: string;
    nesting?: number;
    file?: string | undefined;
    entryFile?: string | undefined;
    message?: string;
    skip?: string | boolean | undefined;
    todo?: string | boolean | undefined;
    duration_ms?: number;
    details?: { type?: string | undefined; duration_ms?: number; error?: unknown };
  };
}

interface FileError {
  cause?: unknown;
  exitCode?: unknown;
  signal?: unknown;
}

export class ResultCollector {
  readonly tests: TestResult[] = [];
  readonly files: FileResult[] = [];
  /** In a selection a file may rightly have no test; in a whole run that is a mistake. */
  readonly #mayFilesBeEmpty: boolean;
  readonly #openTitles = new Map<string, string[]>();
  readonly #output = new Map<string, string[]>();

  constructor(options: { mayFilesBeEmpty: boolean }) {
    this.#mayFilesBeEmpty = options.mayFilesBeEmpty;
  }

  /** Takes one event and returns what people should read about it, often nothing. */
  take({ type, data }: RunnerEvent): string {
    const file = data.entryFile ?? data.file ?? '';
    // node:test tells an error that came after its test in a diagnostic alone.
    const isLateError = type === 'test:diagnostic' && data.message?.startsWith('Error: ') === true;
    if (type === 'test:stdout' || type === 'test:stderr' || isLateError) {
      this.#output.set(file, [...(this.#output.get(file) ?? []), data.message ?? '']);
    } else if (type === 'test:start') {
      this.#open(file, data);
    } else if (type === 'test:pass' || type === 'test:fail') {
      return this.#close(file, data, type === 'test:pass');
    } else if (type === 'test:summary' && data.file !== undefined) {
      this.files.push({ file: shortPath(file), ms: Math.round(data.duration_ms ?? 0) });
    }
    return '';
  }

  #open(file: string, data: RunnerEvent['data']): void {
    const nesting = data.nesting ?? 0;
    const outer = (this.#openTitles.get(file) ?? []).slice(0, nesting);
    this.#openTitles.set(file, [...outer, data.name ?? '']);
  }

  #close(file: string, data: RunnerEvent['data'], hasPassed: boolean): string {
    if (isAboutWholeFile(data)) return this.#closeFile(file, data, hasPassed);
    if (data.details?.type === 'suite') return hasPassed ? '' : this.#closeSuite(file, data);
    const outcome = outcomeOf(data, hasPassed);
    const titles = this.#titlesOf(file, data);
    return this.#record(file, titles, outcome, data);
  }

  // A suite counts only where it fails by itself (a hook, say), not through its tests.
  #closeSuite(file: string, data: RunnerEvent['data']): string {
    const cause = data.details?.error as { failureType?: string } | undefined;
    if (cause?.failureType === 'subtestsFailed') return '';
    return this.#record(file, this.#titlesOf(file, data), 'failed', data);
  }

  // node:test reports a file as a test where it has no test, or fails outside of its tests.
  #closeFile(file: string, data: RunnerEvent['data'], hasPassed: boolean): string {
    if (!hasPassed) return this.#record(file, ['the file runs to its end'], 'failed', data);
    if (this.#mayFilesBeEmpty) return '';
    return this.#record(file, ['the file has at least one test'], 'failed', data);
  }

  #titlesOf(file: string, data: RunnerEvent['data']): string[] {
    const outer = (this.#openTitles.get(file) ?? []).slice(0, data.nesting ?? 0);
    return [...outer, data.name ?? ''];
  }

  #record(file: string, titles: string[], outcome: Outcome, data: RunnerEvent['data']): string {
    const ms = Math.round(data.details?.duration_ms ?? 0);
    this.tests.push({ file: shortPath(file), titles, outcome, ms });
    if (outcome !== 'failed') return '';
    const output = this.#output.get(file)?.join('') ?? '';
    this.#output.delete(file);
    const said = output === '' ? '' : `${indent(`output of the file:\n${output.trimEnd()}`)}\n`;
    return `\n✗ ${shortPath(file)}: ${titles.join(' › ')}\n${indent(explain(data))}\n${said}`;
  }
}

function isAboutWholeFile(data: RunnerEvent['data']): boolean {
  return data.nesting === 0 && data.entryFile === undefined && data.name === data.file;
}

function outcomeOf(data: RunnerEvent['data'], hasPassed: boolean): Outcome {
  const isSet = (flag: string | boolean | undefined) => flag !== undefined && flag !== false;
  if (isSet(data.skip) || isSet(data.todo)) return 'skipped';
  return hasPassed ? 'passed' : 'failed';
}

function explain(data: RunnerEvent['data']): string {
  const error = data.details?.error as FileError | undefined;
  if (error === undefined) return 'no error was reported';
  const told = describeError(error.cause ?? error);
  // How a process ended is all that a crash outside of every test leaves behind.
  const { exitCode, signal } = error;
  if (typeof signal === 'string') return `${told}\nthe process was ended by ${signal}`;
  return typeof exitCode === 'number' ? `${told}\nthe process ended with ${exitCode}` : told;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error, { depth: 6 });
  const lines = (error.stack ?? String(error)).split('\n');
  const stack = lines.filter((line) => !/^\s+at .*\bnode:internal\//.test(line)).join('\n');
  // An assertion's message holds its values already; a database error hides a lot in properties.
  const details = error.name === 'AssertionError' ? [] : Object.entries(error);
  const properties = inspect(Object.fromEntries(details), { depth: 3 });
  const told = details.length > 0 ? `${stack}\n${properties}` : stack;
  return error.cause === undefined ? told : `${told}\ncaused by ${describeError(error.cause)}`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ');
}
