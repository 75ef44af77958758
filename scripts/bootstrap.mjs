// Runs a TypeScript file of this repository, or `bin:<tool>`, with the repository's own Node and
// dependencies, installing them first when they are missing or out of date.
//
//   node scripts/bootstrap.mjs scripts/test.ts --some-flag
//   node scripts/bootstrap.mjs bin:oxfmt .
//
// Plain JavaScript for Node 18 and newer: it must run before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const installNote = join(modules, '.package-lock.json');
const toolsFolder = join(modules, '.bin');
const isWindows = process.platform === 'win32';
const ownNode = join(modules, 'node', 'bin', isWindows ? 'node.exe' : 'node');
const installWaitMsMax = 10 * 60_000;

function say(text) {
  process.stderr.write(`pawl: ${text}\n`);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function isHostNodeNewEnough() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const wanted = readJson(join(root, 'package.json'))?.engines.node ?? '';
  const [majorMin = 0, minorMin = 0] = wanted.replace('>=', '').split('.').map(Number);
  return major > majorMin || (major === majorMin && minor >= minorMin);
}

// npm leaves a copy of the lock inside node_modules as the last act of an install, so comparing the
// two also notices an interrupted install.
function isInstalled() {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  const present = readJson(installNote)?.packages;
  if (!wanted || !present) return false;
  if (!existsSync(ownNode) && !isHostNodeNewEnough()) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.link) return true;
    const found = present[path];
    if (!found) return entry.optional === true || entry.devOptional === true || entry.peer === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

// The tools folder leaves PATH while its contents are being replaced.
function runNpm(args) {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== toolsFolder);
  return spawnSync('npm', args, {
    cwd: root,
    env: { ...process.env, PATH: path.join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    shell: isWindows,
  });
}

// Not `npm ci`: it refuses a lock without the packages of every other platform, and not every
// registry offers those. This form installs the locked versions too, and leaves the lock alone.
const installCommand = ['install', '--no-save', '--no-fund', '--no-audit', '--loglevel=error'];

function install() {
  const startedAt = Date.now();
  say('installing dependencies (once; a minute or so)');
  // Without npm's closing note the folder is the rest of an interrupted install.
  if (!existsSync(installNote)) rmSync(modules, { recursive: true, force: true });
  let result = runNpm(installCommand);
  if (result.status !== 0 && isHostNodeNewEnough()) {
    say(`the bundled Node could not be installed; going on with Node ${process.versions.node}`);
    result = runNpm([...installCommand, '--ignore-scripts']);
  }
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
    say(result.error ? `npm could not be started: ${result.error.message}` : 'the install failed');
    process.exit(1);
  }
  say(`installed in ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function tryLock(lock) {
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, 'pid'), String(process.pid));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isStale(lock, waitedMs) {
  const pid = Number(readFileOrNothing(join(lock, 'pid')));
  // A lock without a pid belongs to a process between its two system calls, or one that died there.
  return pid > 0 ? !isAlive(pid) : waitedMs > 5_000;
}

function readFileOrNothing(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function installOnce() {
  const lock = join(root, '.cache', 'install.lock');
  mkdirSync(join(root, '.cache'), { recursive: true });
  const startedAt = Date.now();
  for (let tries = 0; !tryLock(lock); tries++) {
    const waitedMs = Date.now() - startedAt;
    if (tries === 0) say('another process is installing; waiting for it');
    if (isStale(lock, waitedMs)) rmSync(lock, { recursive: true, force: true });
    else if (waitedMs > installWaitMsMax) {
      say(`gave up waiting for the install; if none is running, remove ${lock}`);
      process.exit(1);
    } else await new Promise((done) => setTimeout(done, 200));
  }
  const unlock = () => rmSync(lock, { recursive: true, force: true });
  process.once('exit', unlock);
  if (!isInstalled()) install();
  process.removeListener('exit', unlock);
  unlock();
}

function commandFor(target, args) {
  const node = existsSync(ownNode) ? ownNode : process.execPath;
  if (!target.startsWith('bin:')) return [node, [resolve(root, target), ...args]];
  const tool = join(toolsFolder, target.slice('bin:'.length));
  return isWindows ? [`${tool}.cmd`, args] : [node, [tool, ...args]];
}

function environment() {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== toolsFolder);
  return {
    // Hundreds of test files and commands load the same sources: each is compiled once.
    NODE_COMPILE_CACHE: join(root, '.cache', 'compiled'),
    ...process.env,
    PATH: [toolsFolder, ...path].join(delimiter),
    // The packages of this workspace are run from their sources, in every thread and process.
    NODE_OPTIONS: [process.env.NODE_OPTIONS, '--conditions=pawl-source'].filter(Boolean).join(' '),
  };
}

function runAsChild(command, args) {
  const child = spawn(command, args, { stdio: 'inherit', env: environment(), shell: isWindows });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the whole process group: passing it on would deliver it twice.
      const isFromTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
      if (!isFromTerminal) child.kill(signal);
    });
  }
  child.once('error', (error) => {
    say(`${command} could not be started: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 15));
  });
}

function run(command, args) {
  // Replacing this process leaves nothing between the caller and the program. Node 20 cannot.
  if (!isWindows && typeof process.execve === 'function') {
    process.execve(command, [command, ...args], environment());
  }
  runAsChild(command, args);
}

const [target, ...args] = process.argv.slice(2);
if (target === undefined) {
  say('usage: node scripts/bootstrap.mjs <file.ts | bin:tool> [arguments]');
  process.exit(2);
}
if (!isInstalled()) await installOnce();
run(...commandFor(target, args));
