import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { Finding, Level } from '../../doctor/finding.ts';
import type { VerifyStep } from '../../doctor/verify.ts';
import type { DiagnosisJson } from '../../contract/doctor.ts';
import { EXIT, ExitError } from '../exit-code.ts';
import { type Given, onServer, type Session } from '../session.ts';
import { LiveLines } from '../terminal/live-lines.ts';
import type { Screen } from '../terminal/screen.ts';
import { countText } from '../terminal/words.ts';

const SIGNS: Readonly<Record<Level, readonly [string, 'green' | 'cyan' | 'yellow' | 'red']>> = {
  good: ['✓', 'green'],
  notice: ['·', 'cyan'],
  warning: ['!', 'yellow'],
  fault: ['✗', 'red'],
};

function findingLines(screen: Screen, { check, level, message, action }: Finding): string[] {
  const [sign, ink] = SIGNS[level];
  const line = `${screen.paint(ink, sign)} ${check.padEnd(14)}${message}`;
  return action === null ? [line] : [line, `  ${' '.repeat(14)}${screen.paint('dim', action)}`];
}

async function examine(session: Session): Promise<Level> {
  const { screen } = session;
  const diagnosis = await session.call<DiagnosisJson>({ method: 'GET', path: '/v1/doctor' });
  if (screen.isJson) for (const finding of diagnosis.findings) screen.json(finding);
  else {
    for (const finding of diagnosis.findings) {
      for (const line of findingLines(screen, finding)) screen.data(line);
    }
  }
  return diagnosis.level;
}

/** Reads the steps as they come; the history may be far larger than memory. */
async function* stepsOf({ client }: Session): AsyncGenerator<VerifyStep> {
  const signal = new AbortController().signal;
  const answer = await client.connection.open('/v1/doctor/verify', { headers: {}, signal });
  if (!answer.ok || answer.body === null) {
    throw new ExitError(EXIT.failed, `the history cannot be checked: ${await answer.text()}`);
  }
  const lines = createInterface({ input: Readable.fromWeb(answer.body as never) });
  for await (const line of lines) yield JSON.parse(line) as VerifyStep;
}

async function verify(session: Session): Promise<void> {
  const { screen } = session;
  const live = new LiveLines(screen);
  let violations = 0;
  for await (const step of stepsOf(session)) {
    if (screen.isJson) screen.json(step);
    if (step.kind === 'violation') {
      violations += 1;
      const { invariant, jobId, version, message } = step.violation;
      const line = `${screen.paint('red', '✗')} ${invariant} job ${jobId} v${version}: ${message}`;
      if (screen.isLive) live.print([line]);
      else if (!screen.isJson) screen.data(line);
      continue;
    }
    const checked = `${countText(step.jobs, 'job')}, ${countText(step.events, 'event')} checked`;
    if (screen.isLive) live.draw([`  ${checked}`]);
    else if (step.kind === 'done' && !screen.isJson) screen.data(checked);
  }
  if (violations > 0) throw new ExitError(EXIT.failed, countText(violations, 'violation'));
  if (!screen.isJson) screen.data(`${screen.paint('green', '✓')} every law was kept`);
}

async function run(session: Session, { options }: Given<{ verify?: boolean }>): Promise<void> {
  const level = await examine(session);
  if (options.verify === true) await verify(session);
  if (level === 'fault') throw new ExitError(EXIT.failed, 'something needs attention: see above');
}

/** `pawl doctor`. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check the platform and name the fix of each problem')
    .option('--verify', 'also check all stored history against the invariants')
    .addHelpText('after', '\nThe exit code is 1 if a finding needs immediate attention.')
    .action(onServer(run));
}
