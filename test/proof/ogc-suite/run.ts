import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { silentLog } from 'pawl/internal/engine/context';
import type { Rung, Say } from '../figures.ts';
import { type SuiteTest, testsIn } from './results.ts';

const USAGE =
  'give --ets <path>: the jar with all dependencies (…-aio.jar) of ets-ogcapi-processes10, built ' +
  'from its source by `mvn package`; some of its tests load schemas of the standard by network, ' +
  'unless it was built with the addresses of local copies';

/** Without a document type: the suite would fetch its definition. */
function propertiesFor(url: string, echo: string): string {
  const entries = { iut: url, echoprocessid: echo, processtestlimit: '5' };
  const lines = Object.entries(entries).map(([key, value]) => {
    return `  <entry key="${key}">${value.replaceAll('&', '&amp;')}</entry>`;
  });
  return ['<properties version="1.0">', ...lines, '</properties>', ''].join('\n');
}

async function runSuite(jar: string, at: { folder: string; url: string; echo: string }) {
  const properties = join(at.folder, 'test-run-props.xml');
  writeFileSync(properties, propertiesFor(at.url, at.echo));
  const output = join(at.folder, 'report');
  const child = spawn('java', ['-jar', jar, '--outputDir', output, properties], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  const [report] = globSync('**/testng-results.xml', { cwd: output });
  if (report === undefined) throw new Error('the suite has written no report: see its messages');
  return testsIn(readFileSync(join(output, report), 'utf8'));
}

function toldOf({ name, status, reason }: SuiteTest): string {
  return reason === null || status === 'PASS'
    ? `${status} ${name}`
    : `${status} ${name}: ${reason}`;
}

/** An address that is given, or a platform that is started for it. */
async function withServer<Result>(
  given: string | null,
  folder: string,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  if (given !== null) return use(given.replace(/\/+$/, ''));
  const env = { PORT: '0', PAWL_DATA: join(folder, 'data') };
  const platform = await startPlatform(readConfiguration(env), silentLog);
  try {
    return await use(platform.url);
  } finally {
    await platform.stop();
  }
}

function reportOf(tests: readonly SuiteTest[], say: Say) {
  for (const test of tests) say(toldOf(test));
  const count = (status: SuiteTest['status']): number =>
    tests.filter((test) => test.status === status).length;
  const failed = tests.filter(({ status }) => status === 'FAIL').map(toldOf);
  const figures = { passed: count('PASS'), failed: count('FAIL'), skipped: count('SKIP') };
  return { figures, violations: tests.length === 0 ? ['no test was run'] : failed };
}

/** `--ets <jar> [--url http://…] [--echo echo]`: the standard's own suite, test by test. */
export const runOgcSuite: Rung = async (options, say) => {
  const jar = options.text('ets');
  if (jar === null || !existsSync(jar)) throw new Error(USAGE);
  const folder = mkdtempSync(join(tmpdir(), 'pawl-ogc-suite-'));
  const echo = options.text('echo') ?? 'echo';
  try {
    const tests = await withServer(options.text('url'), folder, (url) =>
      runSuite(jar, { folder, url, echo }),
    );
    return reportOf(tests, say);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
