// What a cluster is made of: the programs that are here, or that the machine can be given.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canReach, serverAccount } from '../../test/support/postgres/account.ts';
import { findInstallations } from '../../test/support/postgres/installations.ts';
import { findProgram, installWithout, type Program } from '../peers/debian.ts';
import { oneAtATime } from '../run/one-at-a-time.ts';
import { inRepository } from '../run/repository.ts';

/** Patroni 3.0.2, which Debian 12 has, lost acknowledged jobs when a frozen leader came back. */
const PATRONI = '4.1.5';
const PYTHON_PACKAGES = [`patroni[etcd3]==${PATRONI}`, 'psycopg2-binary==2.9.13'];
const POSTGRES_MAJOR = 15;

const PROGRAMS = {
  etcd: { names: ['etcd'], package: 'etcd-server', variable: 'ETCD_PATH' },
  haproxy: { names: ['haproxy'], package: 'haproxy', variable: 'HAPROXY_PATH' },
  pgbouncer: { names: ['pgbouncer'], package: 'pgbouncer', variable: 'PGBOUNCER_PATH' },
} satisfies Readonly<Record<string, Program>>;

/** Debian's own, unless PYTHON_PATH names another: whoever the servers run as must reach it. */
const PYTHON = process.env['PYTHON_PATH'] ?? '/usr/bin/python3';

export interface Programs {
  readonly etcd: string;
  readonly haproxy: string;
  readonly pgbouncer: string;
  readonly patroni: string;
  /** The folder of PostgreSQL's own programs. */
  readonly postgres: string;
}

/** All of them, or what is missing and cannot be installed here. */
export async function findPrograms(): Promise<Programs | { readonly missing: string }> {
  const missing: string[] = [];
  const need = async (program: Program): Promise<string> => {
    const path = await findProgram(program);
    if (path === null) missing.push(`${program.names[0]} (package ${program.package})`);
    return path ?? '';
  };
  const etcd = await need(PROGRAMS.etcd);
  const haproxy = await need(PROGRAMS.haproxy);
  const pgbouncer = await need(PROGRAMS.pgbouncer);
  const postgres = await findPostgres();
  if (postgres === null) missing.push(`PostgreSQL ${POSTGRES_MAJOR} with pg_rewind`);
  const patroni = missing.length > 0 ? '' : await findPatroni();
  if (patroni === null) missing.push(`Patroni ${PATRONI} (python3 with venv, and PyPI)`);
  if (missing.length > 0) return { missing: missing.join(', ') };
  return { etcd, haproxy, pgbouncer, patroni: patroni!, postgres: postgres! };
}

async function findPostgres(): Promise<string | null> {
  const here = (): string | null =>
    findInstallations().find(({ major, binFolder }) => {
      return major === POSTGRES_MAJOR && existsSync(join(binFolder, 'pg_rewind'));
    })?.binFolder ?? null;
  await installWithout(`postgresql-${POSTGRES_MAJOR}`, () => here() !== null);
  return here();
}

/** In an environment of its own, made once. */
async function findPatroni(): Promise<string | null> {
  const folder = join(placeFor(), `patroni-${PATRONI}`);
  const program = join(folder, 'bin', 'patroni');
  if (existsSync(program)) return program;
  const hasVenv = (): boolean => spawnSync(PYTHON, ['-c', 'import ensurepip']).status === 0;
  if (!(await installWithout('python3-venv', hasVenv))) return null;
  return oneAtATime('patroni', async () => {
    return existsSync(program) || installPatroni(folder) ? program : null;
  });
}

/** Whoever the servers run as must be able to enter it. */
function placeFor(): string {
  const cache = inRepository('.cache');
  mkdirSync(cache, { recursive: true });
  const account = serverAccount();
  return account === undefined || canReach(cache, account) ? cache : tmpdir();
}

/** Half an environment must not be taken for a whole one. */
function installPatroni(folder: string): boolean {
  process.stderr.write(`pawl: installing Patroni ${PATRONI}, which a cluster needs (once)\n`);
  rmSync(folder, { recursive: true, force: true });
  const pip = [join(folder, 'bin', 'pip'), 'install', '--quiet', '--disable-pip-version-check'];
  const isDone =
    spawnSync(PYTHON, ['-m', 'venv', folder]).status === 0 &&
    spawnSync(pip[0]!, [...pip.slice(1), ...PYTHON_PACKAGES]).status === 0;
  if (!isDone) rmSync(folder, { recursive: true, force: true });
  return isDone;
}
