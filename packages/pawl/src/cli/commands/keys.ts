import type { Command } from 'commander';
import type { KeyJson } from '../../contract/access-key.ts';
import { ROLES } from '../../contract/role.ts';
import { UsageError } from '../exit-code.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { sinceText } from '../terminal/words.ts';

type MadeKeyJson = KeyJson & { readonly key: string };

interface CreateOptions {
  readonly roles: string;
  readonly groups?: string;
  readonly days?: string;
  readonly tenant?: string;
}

const DAY_MS = 86_400_000;

function standingOf({ revokedAt, expiresAt, replacedBy }: KeyJson, now: number): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return 'expired';
  return replacedBy === null ? 'valid' : 'being replaced';
}

async function list(session: Session): Promise<void> {
  const all = await session.client.all<KeyJson>('/v1/keys');
  const items = all.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  if (isForPrograms(session, items)) return;
  const now = Date.now();
  const columns: Column<KeyJson>[] = [
    { title: 'ID', text: ({ id }) => id },
    { title: 'STATE', text: (key) => standingOf(key, now) },
    { title: 'ROLES', text: ({ roles }) => roles.join(', ') },
    { title: 'USED', text: ({ lastUsedAt }) => sinceText(lastUsedAt, now) },
    { title: 'ENDS', text: ({ expiresAt }) => sinceText(expiresAt, now) },
    { title: 'NAME', text: ({ name }) => name },
  ];
  if (items.length === 0) return session.screen.talk('No keys yet.');
  for (const line of tableLines(session.screen, columns, items)) session.screen.data(line);
}

function listIn(text: string): string[] {
  return text.split(',').map((one) => one.trim());
}

/** The secret alone on stdout, so that it can go straight into a file. */
function tell({ screen }: Session, made: MadeKeyJson): void {
  if (screen.isJson) return screen.json(made);
  screen.data(made.key);
  screen.talk(`This is key ${made.id}. It is shown only once: store it now.`);
}

async function create(session: Session, { words, options }: Given<CreateOptions>): Promise<void> {
  const { roles, groups, days, tenant } = options;
  const ttlMs = days === undefined ? undefined : Number(days) * DAY_MS;
  if (ttlMs !== undefined && !(ttlMs > 0)) throw new UsageError('--days takes a number of days');
  const made = await session.call<MadeKeyJson>({
    method: 'POST',
    path: '/v1/keys',
    body: {
      name: words[0],
      roles: listIn(roles),
      ...(groups === undefined ? {} : { groups: listIn(groups) }),
      ...(ttlMs === undefined ? {} : { ttlMs }),
      ...(tenant === undefined ? {} : { tenant }),
    },
  });
  tell(session, made);
}

async function rotate(session: Session, { words }: Given<object>): Promise<void> {
  const path = `/v1/keys/${encodeURIComponent(words[0] ?? '')}/rotate`;
  tell(session, await session.call<MadeKeyJson>({ method: 'POST', path, body: {} }));
}

async function revoke(session: Session, { words }: Given<object>): Promise<void> {
  const path = `/v1/keys/${encodeURIComponent(words[0] ?? '')}/revoke`;
  const key = await session.call<KeyJson>({ method: 'POST', path, body: {} });
  if (session.screen.isJson) session.screen.json(key);
  else session.screen.data(`${key.id}: revoked`);
}

/** `pawl keys …`. */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('API keys and their roles');
  keys.command('ls', { isDefault: true }).description('list keys').action(onServer(list));
  keys
    .command('create <name>')
    .description('create a key; it is printed once')
    .requiredOption('--roles <roles>', `comma-separated: ${ROLES.join(', ')}`)
    .option('--groups <groups>', 'comma-separated: whose shared jobs its holder sees')
    .option('--days <days>', 'days until the key expires; default: never')
    .option('--tenant <tenant>', 'for another tenant (platform admins)')
    .addHelpText('after', '\nExample: pawl keys create deploy-bot --roles producer --days 90 > key')
    .action(onServer(create));
  keys
    .command('rotate <id>')
    .description('replace a key; the old one stays valid for a day')
    .action(onServer(rotate));
  keys.command('revoke <id>').description('revoke a key').action(onServer(revoke));
}
