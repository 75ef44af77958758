import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
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

const MAIN = 'org.opengis.cite.ogcapiprocesses10.TestNGController';
/** What the suite sends as a binary input; its archive is built without it. */
const IMAGE = 'org/opengis/cite/testdata/testgeotiff.tiff';
const TIFF = Buffer.from('49492a0008000000000000000000', 'hex');

function classPathOf(jar: string, folder: string): string {
  const image = join(folder, IMAGE);
  mkdirSync(dirname(image), { recursive: true });
  writeFileSync(image, TIFF);
  return [folder, jar].join(delimiter);
}

async function runSuite(jar: string, at: { folder: string; url: string; echo: string }) {
  const properties = join(at.folder, 'test-run-props.xml');
  writeFileSync(properties, propertiesFor(at.url, at.echo));
  const output = join(at.folder, 'report');
  const program = ['-cp', classPathOf(jar, at.folder), MAIN];
  const child = spawn('java', [...program, '--outputDir', output, properties], {
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

async function withPlatform<Result>(
  env: NodeJS.ProcessEnv,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  // Inputs by reference are fetched, also from this machine.
  const whole = { PORT: '0', PAWL_OUTGOING_ALLOW: '127.0.0.1', ...env };
  const platform = await startPlatform(readConfiguration(whole), silentLog);
  try {
    return await use(platform.url);
  } finally {
    await platform.stop();
  }
}

/** The provider's name in front of its processes. */
const FAR = 'far';

/** A platform in front of the one at this address. */
async function withGateway<Result>(
  url: string,
  folder: string,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const file = join(folder, 'providers.json');
  writeFileSync(file, JSON.stringify({ providers: { [FAR]: { url } } }));
  return withPlatform({ PAWL_DATA: join(folder, 'gateway'), PAWL_OGC_PROVIDERS: file }, use);
}

function reportOf(tests: readonly SuiteTest[], say: Say) {
  for (const test of tests) say(toldOf(test));
  const count = (status: SuiteTest['status']): number =>
    tests.filter((test) => test.status === status).length;
  const failed = tests.filter(({ status }) => status === 'FAIL').map(toldOf);
  const figures = { passed: count('PASS'), failed: count('FAIL'), skipped: count('SKIP') };
  return { figures, violations: tests.length === 0 ? ['no test was run'] : failed };
}

/**
 * `--ets <jar> [--url http://…] [--echo echo] [--gateway]`: the standard's own suite, test by test,
 * against a platform that is started for it or the one at that address, directly or through a
 * gateway that is started in front of it.
 */
export const runOgcSuite: Rung = async (options, say) => {
  const jar = options.text('ets');
  if (jar === null || !existsSync(jar)) throw new Error(USAGE);
  const folder = mkdtempSync(join(tmpdir(), 'pawl-ogc-suite-'));
  const echo = options.text('echo') ?? 'echo';
  try {
    const run = async (url: string): Promise<SuiteTest[]> => {
      if (options.text('gateway') === null) return runSuite(jar, { folder, url, echo });
      return withGateway(url, folder, (at) =>
        runSuite(jar, { folder, url: at, echo: `${FAR}:${echo}` }),
      );
    };
    const given = options.text('url')?.replace(/\/+$/, '');
    const data = { PAWL_DATA: join(folder, 'data') };
    return reportOf(await (given === undefined ? withPlatform(data, run) : run(given)), say);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
