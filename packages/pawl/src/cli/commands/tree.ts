import type { Command } from 'commander';
import type { TreeJson } from '../../contract/flow.ts';
import { type Given, onServer, type Session } from '../session.ts';
import { barText } from '../terminal/bar.ts';
import type { Screen } from '../terminal/screen.ts';
import { harmless, sinceText } from '../terminal/words.ts';
import { readJson } from './enqueue.ts';

type WaitJson = TreeJson['waits'][number];

/** Larger sets are one bar, unless all is asked for. */
const SHOWN_MAX = 10;
const BAR_CELLS = 20;

interface TreeOptions {
  readonly all?: boolean;
}

async function tree(session: Session, { words, options }: Given<TreeOptions>): Promise<void> {
  const { client, screen } = session;
  const root = await client.flows.tree(words[0] ?? '');
  if (screen.isJson) return screen.json(root);
  const shown = { screen, now: Date.now(), isWhole: options.all === true };
  for (const line of treeLines(shown, root)) screen.data(line);
}

interface Shown {
  readonly screen: Screen;
  readonly now: number;
  readonly isWhole: boolean;
}

/** A job on a line, and below it what it waits for. */
export function treeLines(shown: Shown, job: TreeJson): string[] {
  return [jobLine(shown, job), ...indented(waitsLines(shown, job.waits))];
}

/** Those that belong to a `first` are shown below it. */
function waitsLines(shown: Shown, waits: readonly WaitJson[]): string[] {
  const inside = new Set(waits.flatMap(({ members }) => members));
  const outer = waits.filter(({ name }) => !inside.has(name));
  return outer.flatMap((wait) => [
    ...waitLines(shown, wait),
    ...indented(
      waitsLines(
        shown,
        waits.filter(({ name }) => wait.members.includes(name)),
      ),
    ),
  ]);
}

function jobLine({ screen }: Shown, { id, key, type, state, phase, progress }: TreeJson): string {
  const name = key === null ? type : `${harmless(key)} ${screen.paint('dim', type)}`;
  const share = phase === 'executing' ? ` ${Math.round(progress)} %` : '';
  return `${name}  ${screen.paintPhase(phase, `${state}${share}`)}  ${screen.paint('dim', id)}`;
}

function waitLines(shown: Shown, wait: WaitJson): string[] {
  const { screen, isWhole } = shown;
  const mark = wait.isOpen ? screen.paint('bold', '◷') : screen.paint('dim', '✓');
  const head = `${mark} ${wait.name}: ${waitText(shown, wait)}`;
  const total = wait.counts?.total ?? wait.jobs.length;
  if (total > SHOWN_MAX && !isWhole) return [head];
  const left = total - wait.jobs.length;
  const more = left > 0 ? [screen.paint('dim', `and ${left} more`)] : [];
  return [head, ...indented([...wait.jobs.flatMap((job) => treeLines(shown, job)), ...more])];
}

function waitText({ now }: Shown, { kind, type, counts, until }: WaitJson): string {
  if (kind === 'time' && until !== null) return `until ${until} (${sinceText(until, now)})`;
  if (counts === null) return kind;
  const { total, succeeded, failed, open } = counts;
  const what = type === null ? 'jobs' : `jobs of ${type}`;
  if (total === 1) return what.replace('jobs', 'a job');
  const bar = barText(total === 0 ? 1 : (total - open) / total, BAR_CELLS);
  const bad = failed === 0 ? '' : `, ${failed} failed`;
  return `${bar} ${succeeded} of ${total} ${what} succeeded${bad}, ${open} open`;
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

interface SendOptions {
  readonly value?: string;
  readonly idempotencyKey?: string;
}

async function send(session: Session, { words, options }: Given<SendOptions>): Promise<void> {
  const { client, screen } = session;
  const [id = '', name = ''] = words;
  const payload = options.value === undefined ? null : await readJson(options.value, '--value');
  const { idempotencyKey: key } = options;
  const keyed = key === undefined ? {} : { key };
  const sent = await client.flows.send(id, { name, payload, ...keyed });
  if (screen.isJson) return screen.json(sent);
  screen.data(sent.id);
  screen.talk(sent.isNew ? 'Sent.' : 'A message with this key was sent before; nothing was sent.');
}

/** `pawl jobs tree` and `pawl jobs send`. */
export function addTree(jobs: Command): void {
  jobs
    .command('tree <id>')
    .description('show the jobs and messages that a job waits for, as a tree')
    .option('--all', `list sets of more than ${SHOWN_MAX} jobs in full`)
    .action(onServer(tree));
  jobs
    .command('send <id> <name>')
    .description('send a message to a job, which reads it with `receive`')
    .option('-v, --value <json>', 'its value: JSON, @file or -; default: null')
    .option('--idempotency-key <key>', 'a second message with this key is ignored')
    .addHelpText('after', '\nExample: pawl jobs send <id> approve --value \'{"by":"ann"}\'')
    .action(onServer(send));
}
