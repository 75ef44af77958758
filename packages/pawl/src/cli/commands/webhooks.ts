import type { Command } from 'commander';
import type { DeliveryJson, WebhookJson } from '../../contract/webhook.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { sinceText } from '../terminal/words.ts';

type MadeWebhookJson = WebhookJson & { readonly secret: string };

interface AddOptions {
  readonly events?: string;
  readonly types?: string;
  readonly description?: string;
}

function pathOf(id: string | undefined, rest = ''): string {
  return `/v1/webhooks/${encodeURIComponent(id ?? '')}${rest}`;
}

async function list(session: Session): Promise<void> {
  const { screen } = session;
  const items = await session.client.all<WebhookJson>('/v1/webhooks');
  if (isForPrograms(session, items)) return;
  if (items.length === 0) return screen.talk('No webhooks yet: pawl webhooks add <url>');
  const columns: Column<WebhookJson>[] = [
    { title: 'ID', text: ({ id }) => id },
    {
      title: 'STATE',
      text: ({ enabled, disabledReason }) => disabledReason ?? (enabled ? 'on' : 'off'),
    },
    { title: 'EVENTS', text: ({ events }) => events.map((name) => name.slice(4)).join(', ') },
    { title: 'URL', text: ({ url }) => url },
  ];
  for (const line of tableLines(screen, columns, items)) screen.data(line);
}

/** The secret alone on stdout, so that it can go straight into a file. */
function tell({ screen }: Session, made: MadeWebhookJson): void {
  if (screen.isJson) return screen.json(made);
  screen.data(made.secret);
  screen.talk(`This is the secret of webhook ${made.id}. It is shown only once: store it now.`);
}

async function add(session: Session, { words, options }: Given<AddOptions>): Promise<void> {
  const { events, types, description } = options;
  const body = {
    url: words[0],
    ...(events === undefined ? {} : { events: events.split(',') }),
    ...(types === undefined ? {} : { types: types.split(',') }),
    ...(description === undefined ? {} : { description }),
  };
  const call = { method: 'POST', path: '/v1/webhooks', body } as const;
  tell(session, await session.call<MadeWebhookJson>(call));
}

async function rotate(session: Session, { words }: Given<object>): Promise<void> {
  const call = { method: 'POST', path: pathOf(words[0], '/rotate'), body: {} } as const;
  tell(session, await session.call<MadeWebhookJson>(call));
}

async function deliveries(session: Session, { words }: Given<object>): Promise<void> {
  const { items } = await session.call<{ items: DeliveryJson[] }>({
    method: 'GET',
    path: pathOf(words[0], '/deliveries'),
  });
  if (isForPrograms(session, items)) return;
  const now = Date.now();
  const columns: Column<DeliveryJson>[] = [
    { title: 'ID', text: ({ id }) => id },
    { title: 'STATE', text: ({ state }) => state },
    { title: 'ATTEMPTS', text: ({ attempts }) => attempts, isRight: true },
    { title: 'CREATED', text: ({ createdAt }) => sinceText(createdAt, now) },
    { title: 'EVENT', text: ({ eventType }) => eventType },
    { title: 'LAST', text: ({ lastTry }) => lastTry?.error ?? lastTry?.status ?? null },
  ];
  for (const line of tableLines(session.screen, columns, items)) session.screen.data(line);
}

async function redeliver(session: Session, { words }: Given<object>): Promise<void> {
  const [id, delivery] = words;
  const path = pathOf(id, `/deliveries/${encodeURIComponent(delivery ?? '')}/redeliver`);
  session.screen.json(await session.call<object>({ method: 'POST', path, body: {} }));
}

async function remove(session: Session, { words }: Given<object>): Promise<void> {
  await session.call<unknown>({ method: 'DELETE', path: pathOf(words[0]) });
  session.screen.talk(`${words[0]}: removed`);
}

/** `pawl webhooks …`. */
export function addWebhooks(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('manage webhooks: URLs that receive events');
  webhooks.command('ls', { isDefault: true }).description('list webhooks').action(onServer(list));
  webhooks
    .command('add <url>')
    .description('add a URL; its signing secret is printed once')
    .option(
      '--events <types>',
      'comma-separated, such as job_succeeded,job_failed; default: the ends of jobs',
    )
    .option('--types <types>', 'only for these job types, comma-separated')
    .option('--description <text>', 'description')
    .action(onServer(add));
  webhooks
    .command('rotate <id>')
    .description('replace the secret; the old one signs as well for a day')
    .action(onServer(rotate));
  webhooks
    .command('deliveries <id>')
    .description('deliveries of a webhook and their answers')
    .action(onServer(deliveries));
  webhooks
    .command('redeliver <id> <delivery>')
    .description('send a delivery again')
    .action(onServer(redeliver));
  webhooks.command('rm <id>').description('remove a webhook').action(onServer(remove));
}
