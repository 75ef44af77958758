import type { Command } from 'commander';
import type { CellJson, PlacementJson, TenantMoveJson } from '../../contract/cell.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import type { Screen } from '../terminal/screen.ts';
import { countText } from '../terminal/words.ts';
import { type Column, tableLines } from '../terminal/table.ts';

function columnsFor(screen: Screen): Column<CellJson>[] {
  return [
    { title: 'CELL', text: ({ name }) => name },
    {
      title: 'STATE',
      text: ({ state }) => state,
      paint: ({ state }, text) => screen.paint(state === 'ok' ? 'green' : 'red', text),
    },
    { title: 'TENANTS', text: ({ tenants }) => String(tenants), isRight: true },
    { title: 'DETAIL', text: ({ detail }) => detail ?? '' },
  ];
}

const TENANT_COLUMNS: readonly Column<PlacementJson>[] = [
  { title: 'TENANT', text: ({ tenant }) => tenant },
  { title: 'CELL', text: ({ cell }) => cell },
  { title: 'SINCE', text: ({ since }) => since },
];

async function listCells(session: Session): Promise<void> {
  const { screen } = session;
  const { items } = await session.call<{ items: CellJson[] }>({ method: 'GET', path: '/v1/cells' });
  if (isForPrograms(session, items)) return;
  if (items.length === 0)
    return screen.talk('The platform has one database: PAWL_CELLS names several.');
  for (const line of tableLines(screen, columnsFor(screen), items)) screen.data(line);
}

async function listTenants(
  session: Session,
  { options: { cell } }: Given<{ cell?: string }>,
): Promise<void> {
  const { screen } = session;
  const query = cell === undefined ? {} : { cell };
  const items = await session.client.all<PlacementJson>('/v1/tenants', query);
  if (isForPrograms(session, items)) return;
  if (items.length === 0) return screen.talk('No tenants live there yet.');
  for (const line of tableLines(screen, TENANT_COLUMNS, items)) screen.data(line);
}

async function place(session: Session, { words }: Given<object>): Promise<void> {
  const [tenant = '', cell = ''] = words;
  const path = `/v1/tenants/${encodeURIComponent(tenant)}/cell`;
  const placed = await session.call<PlacementJson>({ method: 'PUT', path, body: { cell } });
  if (isForPrograms(session, [placed])) return;
  session.screen.talk(`${placed.tenant} lives in ${placed.cell}.`);
}

/** The answer comes after a second at most: the same request goes on, until the tenant is there. */
async function move(session: Session, { words }: Given<object>): Promise<void> {
  const [tenant = '', cell = ''] = words;
  const path = `/v1/tenants/${encodeURIComponent(tenant)}/move`;
  const { screen } = session;
  let moved = await session.call<TenantMoveJson>({ method: 'POST', path, body: { cell } });
  while (moved.state === 'moving') {
    screen.talk(`${moved.step}: ${moved.copied} ended jobs copied`);
    moved = await session.call<TenantMoveJson>({ method: 'POST', path, body: { cell } });
  }
  if (isForPrograms(session, [moved])) return;
  const { copied, live, ended, records, pauseMs } = moved;
  const rest = [
    countText(live, 'unfinished job'),
    countText(ended, 'ended job'),
    countText(records, 'record'),
  ];
  screen.talk(`${tenant} lives in ${cell}.`);
  screen.talk(`Copied while it worked: ${countText(copied, 'ended job')}.`);
  screen.talk(`Moved while its writes waited: ${rest.join(', ')}.`);
  if (pauseMs === null) screen.talk('This finished a move that an earlier command had begun.');
  else screen.talk(`Its writes waited for ${pauseMs} ms.`);
}

/** `pawl cells` and `pawl tenants`. */
export function addCells(program: Command): void {
  program
    .command('cells')
    .description('list the databases of the platform, and whether each can be reached')
    .action(onServer(listCells));
  const tenants = program.command('tenants').description('which tenant lives in which database');
  tenants
    .command('ls')
    .description('list tenants with their cells')
    .option('--cell <cell>', 'those of one cell')
    .action(onServer(listTenants));
  tenants
    .command('place')
    .description('choose the cell of a new tenant, before its first job')
    .argument('<tenant>')
    .argument('<cell>')
    .action(onServer(place));
  tenants
    .command('move')
    .description('move a tenant to another cell while it works; run again, it continues')
    .argument('<tenant>')
    .argument('<cell>')
    .action(onServer(move));
}
