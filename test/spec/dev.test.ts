// `pawl dev` as a user runs it: a real process that starts another one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { childEnvironment } from '../../scripts/run/child-environment.ts';
import { inRepository } from '../../scripts/run/repository.ts';

const CONFIG = `
import { defineConfig } from 'pawl';
import { job } from './job.ts';
const onStart = (pawl) => pawl.schedule('nightly', { cron: '0 3 * * *' }, job);
export default defineConfig({ jobs: [job], plugins: [], onStart });
`;

function jobNamed(type: string): string {
  return `import { defineJob } from 'pawl/define';
export const job = defineJob('${type}', { run: () => 1 });
`;
}

interface Running {
  readonly url: string;
  readonly types: readonly string[];
}

/** A line of the log, or of what `pawl dev` itself says. */
function factsIn(line: string): Partial<Running> & { readonly msg?: string } {
  return line.startsWith('{') ? (JSON.parse(line) as Partial<Running>) : {};
}

class DevProcess {
  readonly folder: string;
  readonly said: string[] = [];
  readonly #child: ReturnType<typeof spawn>;
  readonly #starts = new EventEmitter<{ running: [Running] }>();
  readonly exited: Promise<unknown[]>;

  constructor(context: TestContext) {
    mkdirSync(inRepository('.cache'), { recursive: true });
    // Inside the repository, so that its packages are found.
    this.folder = mkdtempSync(inRepository('.cache/dev-'));
    this.write('pawl.config.ts', CONFIG);
    this.write('job.ts', jobNamed('before'));
    const program = inRepository('packages/pawl/src/cli/main.ts');
    const words = ['dev', '--port', '0', '--data', join(this.folder, 'data')];
    this.#child = spawn(process.execPath, [program, ...words], {
      cwd: this.folder,
      env: { ...childEnvironment, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.exited = once(this.#child, 'exit');
    for (const input of [this.#child.stdout!, this.#child.stderr!]) {
      createInterface({ input }).on('line', (line) => this.#hear(line));
    }
    context.after(async () => {
      this.#child.kill('SIGKILL');
      await this.exited;
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** The next platform that says it is running. */
  async running(): Promise<Running> {
    const ended = this.exited.then(() => {
      throw new Error(`pawl dev has ended: ${this.said.join('\n')}`);
    });
    const [facts] = await Promise.race([once(this.#starts, 'running'), ended]);
    return facts as Running;
  }

  stop(): void {
    this.#child.kill('SIGTERM');
  }

  #hear(line: string): void {
    this.said.push(line);
    const { url, types } = factsIn(line);
    if (url !== undefined && types !== undefined) this.#starts.emit('running', { url, types });
  }
}

test('pawl dev runs the platform, starts it again when a job changes, and ends with it', async (context) => {
  const dev = new DevProcess(context);
  const first = await dev.running();
  assert.ok(first.types.includes('before'), dev.said.join('\n'));
  assert.equal((await fetch(`${first.url}/livez`)).status, 200);
  const schedule = await fetch(`${first.url}/v1/schedules/nightly`);
  assert.equal(schedule.status, 200, 'what onStart wrote is there once the platform runs');
  const again = dev.running();
  dev.write('job.ts', jobNamed('after'));
  const second = await again;
  assert.ok(dev.said.some((line) => line.includes('job.ts has changed; starting again')));
  assert.ok(second.types.includes('after') && !second.types.includes('before'));
  dev.stop();
  assert.deepEqual(await dev.exited, [0, null], dev.said.join('\n'));
  await assert.rejects(fetch(`${second.url}/livez`), 'the platform has outlived pawl dev');
});
