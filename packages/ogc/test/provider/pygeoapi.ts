// A provider that others have written: pygeoapi, in an environment of its own.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRepository } from '../../../../scripts/run/repository.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { freePort } from '../../../../test/support/free-port.ts';

const PACKAGES = ['pygeoapi==0.21.0', 'tinydb==4.9.0', 'shapely==2.1.2', 'OWSLib==0.35.0'];
const FOLDER = inRepository('.cache', PACKAGES.join('_').replaceAll('==', '-'));
const PATIENCE = { timeoutMs: 5 * 60_000, everyMs: 200 };

/** The Python of that environment, with a client and a server of the standard in it. */
export const PYTHON: string = join(FOLDER, 'bin', 'python');

/** The program: by PYGEOAPI, from the environment, or on the PATH; null where there is none. */
export function findPygeoapi(): string | null {
  const given = process.env['PYGEOAPI'];
  const candidates = given === undefined ? [join(FOLDER, 'bin', 'pygeoapi'), 'pygeoapi'] : [given];
  return candidates.find((one) => spawnSync(one, ['--version']).status === 0) ?? null;
}

/** Makes the environment where it is not there; the reason why it could not, or null. */
export function installPygeoapi(): string | null {
  if (existsSync(PYTHON) && findPygeoapi() !== null) return null;
  rmSync(FOLDER, { recursive: true, force: true });
  const steps = [
    ['python3', '-m', 'venv', FOLDER],
    [PYTHON, '-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...PACKAGES],
  ];
  for (const [program = '', ...args] of steps) {
    const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
    if (status === 0) continue;
    rmSync(FOLDER, { recursive: true, force: true });
    return `${program} ${args.join(' ')}: ${error?.message ?? stderr}`;
  }
  return null;
}

function configurationOf(folder: string, url: string, resources: object): string {
  const word = 'test';
  return JSON.stringify({
    server: {
      bind: { host: '127.0.0.1', port: Number(new URL(url).port) },
      url,
      mimetype: 'application/json; charset=UTF-8',
      encoding: 'utf-8',
      languages: ['en-US'],
      limits: { default_items: 10, max_items: 50 },
      map: { url: `${url}/tile.png`, attribution: word },
      manager: { name: 'TinyDB', connection: join(folder, 'jobs.db'), output_dir: folder },
    },
    logging: { level: 'ERROR' },
    metadata: {
      identification: {
        title: word,
        description: word,
        keywords: [word],
        keywords_type: 'theme',
        terms_of_service: word,
        url,
      },
      license: { name: word, url },
      provider: { name: word, url },
      contact: { name: word, url, email: 'a@b.example' },
    },
    resources,
  });
}

export interface Pygeoapi {
  readonly url: string;
  close(): void;
}

/** With these processes: the names of its processors, by the ids that they get. */
export async function openPygeoapi(
  program: string,
  processors: Readonly<Record<string, string>>,
): Promise<Pygeoapi> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-pygeoapi-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const configuration = join(folder, 'config.yml');
  const out = join(folder, 'out');
  mkdirSync(out);
  const resources = Object.entries(processors).map(([id, name]) => {
    return [id, { type: 'process', processor: { name } }];
  });
  writeFileSync(configuration, configurationOf(out, url, Object.fromEntries(resources) as object));
  const openapi = join(folder, 'openapi.yml');
  const env = { ...process.env, PYGEOAPI_CONFIG: configuration, PYGEOAPI_OPENAPI: openapi };
  spawnSync(program, ['openapi', 'generate', configuration, '--output-file', openapi], { env });
  // A group of its own: its server starts a second process when it watches its files.
  const child = spawn(program, ['serve'], { env, stdio: 'ignore', detached: true });
  const isUp = (): Promise<boolean> =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually('pygeoapi answers', isUp, PATIENCE);
  return {
    url,
    close: () => {
      process.kill(-child.pid!, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
