// Schemathesis in an environment of its own, installed from PyPI the first time it is needed.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = '4.32.5';
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url));
const HOOKS = fileURLToPath(new URL('hooks.py', import.meta.url));
const FOLDER = join(CACHE, `schemathesis-${VERSION}`);
const PROGRAM = join(FOLDER, 'bin', 'schemathesis');

/** Longer than the longest wait that a claim can ask for. */
const ANSWER_SECONDS = 75;

/**
 * 400 is judged by a check of our own: the refusal has to name a rule of the document. 410 and 412
 * are documented answers to cursors and tags that nobody can know. Items of a batch are refused one
 * by one, within a 200, which has a check of its own too.
 */
const VALID = '2xx 3xx 400 401 403 404 409 410 412 429 5xx'.split(' ');
const BATCH = '200 400 401 403 404 409 413 415 429 5xx'.split(' ');

const CONFIGURATION = `hooks = ${JSON.stringify(HOOKS)}

[checks.positive_data_acceptance]
expected-statuses = ${JSON.stringify(VALID)}

[[operations]]
include-operation-id = "acceptJobs"
checks.negative_data_rejection.expected-statuses = ${JSON.stringify(BATCH)}
`;

/** What one run of it found. */
export interface Findings {
  readonly cases: number;
  readonly operations: number;
  readonly failures: readonly string[];
  /** All that it wrote. */
  readonly log: string;
}

interface Report {
  readonly test_cases: { readonly generated: number };
  readonly operations: { readonly tested: number };
  readonly failures: readonly { readonly title: string; readonly operations: readonly string[] }[];
  readonly errors: readonly unknown[];
}

/** Null where it can be used, else what is missing. */
export function prepare(): string | null {
  if (existsSync(PROGRAM)) return null;
  try {
    execFileSync('python3', ['-m', 'venv', FOLDER], { stdio: 'pipe' });
    const pip = ['-m', 'pip', 'install', '--quiet', `schemathesis==${VERSION}`];
    execFileSync(join(FOLDER, 'bin', 'python'), pip, { stdio: 'pipe' });
    return null;
  } catch (error) {
    rmSync(FOLDER, { recursive: true, force: true });
    return `Python 3 with venv, and schemathesis ${VERSION} from PyPI: ${(error as Error).message}`;
  }
}

export interface Asked {
  readonly url: string;
  /** Null: without credentials. */
  readonly key: { readonly text: string; readonly id: string } | null;
  readonly folder: string;
  /** The most requests for each operation in the phases that draw at random. */
  readonly examples: number;
  readonly seed: number;
}

/** Every phase and every check on, over the whole document. */
export async function run({ url, key, folder, examples, seed }: Asked): Promise<Findings> {
  const configuration = join(folder, 'schemathesis.toml');
  writeFileSync(configuration, CONFIGURATION);
  const report = join(folder, 'report.json');
  const answerSeconds = String(ANSWER_SECONDS);
  const options = {
    checks: 'all',
    'max-examples': examples,
    // Python 3.11 parses in one thread at a time only.
    workers: 1,
    seed,
    'request-timeout': answerSeconds,
    'max-response-time': answerSeconds,
    report: 'json',
    'report-json-path': report,
    'output-truncate': 'false',
    ...(key === null ? {} : { header: `Authorization: Bearer ${key.text}` }),
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const document = `${url}/openapi.json`;
  const args = ['--config-file', configuration, 'run', document, '--continue-on-failure', ...flags];
  const env = { ...process.env, ...(key === null ? {} : { PAWL_OWN_KEY_ID: key.id }) };
  const child = spawn(PROGRAM, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => (log += text));
  }
  await once(child, 'close');
  if (!existsSync(report)) throw new Error(`schemathesis has written no report:\n${log}`);
  const told = JSON.parse(readFileSync(report, 'utf8')) as Report;
  return {
    cases: told.test_cases.generated,
    operations: told.operations.tested,
    failures: [
      ...told.failures.map(({ title, operations }) => `${title}: ${operations.join(', ')}`),
      ...told.errors.map((error) => JSON.stringify(error).slice(0, 500)),
    ],
    log,
  };
}
