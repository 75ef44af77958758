// Clients that generators make of the OpenAPI document: how each is made, compiled and run.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inRepository } from '../run/repository.ts';
import { run } from './run.ts';

const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const OPENAPI_GENERATOR = { artifact: 'org.openapitools:openapi-generator-cli', version: '7.16.0' };
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
const PYTHON_CLIENT = 'openapi-python-client==0.29.1';
/** The newest TypeScript has no interface for programs, which the generator needs. */
const TYPESCRIPT = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'];

interface Step {
  readonly command: readonly string[];
  /** Within the client's own folder. */
  readonly cwd?: string;
}

export interface GeneratedClient {
  readonly name: string;
  /** Programs that must be there; the generators themselves come from package registries. */
  readonly needs: readonly string[];
  /** The folder of the program, in clients/generated. */
  readonly folder: string;
  readonly steps: (document: string) => readonly Step[];
}

const GO_STEPS: readonly Step[] = [
  { command: ['go', 'mod', 'tidy'] },
  { command: ['go', 'vet', './gen', '.'] },
  { command: ['go', 'run', '.'] },
];

function oapiCodegen(document: string): readonly Step[] {
  const made = ['-generate', 'types,client', '-package', 'gen', '-o', 'gen/gen.go'];
  return [
    { command: ['go', 'mod', 'init', 'life'] },
    { command: ['go', 'run', OAPI_CODEGEN, ...made, document] },
    ...GO_STEPS,
  ];
}

function openapiGenerator(document: string): readonly Step[] {
  const { artifact, version } = OPENAPI_GENERATOR;
  const jar = `jar/openapi-generator-cli-${version}.jar`;
  const how = ['--additional-properties=packageName=gen,withGoMod=false', '--skip-validate-spec'];
  const fetch = [`-Dartifact=${artifact}:${version}`, '-DoutputDirectory=jar'];
  return [
    { command: ['mvn', '-q', '-B', COPY, ...fetch] },
    { command: ['java', '-jar', jar, 'generate', '-g', 'go', '-i', document, '-o', 'gen', ...how] },
    { command: ['rm', '-rf', 'gen/test'] },
    { command: ['go', 'mod', 'init', 'life'] },
    ...GO_STEPS,
  ];
}

function python(document: string): readonly Step[] {
  const made = [
    'generate',
    '--path',
    document,
    '--output-path',
    'gen',
    '--overwrite',
    '--meta',
    'setup',
  ];
  return [
    { command: ['python3', '-m', 'venv', 'env'] },
    { command: ['env/bin/pip', 'install', '-q', PYTHON_CLIENT] },
    { command: ['env/bin/openapi-python-client', ...made] },
    { command: ['env/bin/pip', 'install', '-q', './gen'] },
    { command: ['env/bin/python', '-m', 'compileall', '-q', 'gen'] },
    { command: ['env/bin/python', 'life.py'] },
  ];
}

function typescript(document: string): readonly Step[] {
  const strict = [
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    'false',
    '--allowImportingTsExtensions',
  ];
  const target = ['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom'];
  const bin = 'node_modules/.bin';
  return [
    { command: ['npm', 'init', '-y', '--init-type=module'] },
    { command: ['npm', 'install', '--no-audit', '--no-fund', ...TYPESCRIPT] },
    { command: ['npm', 'pkg', 'set', 'type=module'] },
    {
      command: [
        `${bin}/openapi-typescript`,
        document,
        '-o',
        'api.d.ts',
        '--default-non-nullable=false',
      ],
    },
    { command: [`${bin}/tsc`, ...strict, ...target, 'life.ts'] },
    { command: [process.execPath, 'life.ts'] },
  ];
}

export const generatedClients: readonly GeneratedClient[] = [
  { name: 'Go, by oapi-codegen', needs: ['go'], folder: 'oapi-codegen', steps: oapiCodegen },
  {
    name: 'Go, by openapi-generator',
    needs: ['go', 'java', 'mvn'],
    folder: 'openapi-generator',
    steps: openapiGenerator,
  },
  {
    name: 'Python, by openapi-python-client',
    needs: ['python3'],
    folder: 'python',
    steps: python,
  },
  {
    name: 'TypeScript, by openapi-typescript',
    needs: ['npm'],
    folder: 'typescript',
    steps: typescript,
  },
];

export function missingFor({ needs }: GeneratedClient): string[] {
  return needs.filter((program) => spawnSync('which', [program]).status !== 0);
}

/** Makes, compiles and runs a client in a folder of its own; what went wrong, or null. */
export async function tryGenerated(
  client: GeneratedClient,
  { work, document, url }: { work: string; document: string; url: string },
): Promise<string | null> {
  const folder = join(work, client.folder);
  mkdirSync(join(folder, 'gen'), { recursive: true });
  cpSync(inRepository('clients/generated', client.folder), folder, { recursive: true });
  for (const { command, cwd = '' } of client.steps(document)) {
    const options = { cwd: join(folder, cwd), env: { PAWL_URL: url, NODE_OPTIONS: '' } };
    const { code, output } = await run(command, options);
    if (code !== 0) return `${command.join(' ')}\n${output}`;
  }
  return null;
}
