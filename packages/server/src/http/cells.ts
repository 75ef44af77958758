import { Type } from 'typebox';
import { CellBody, CellName, CellSchema, PlacementSchema } from 'pawl/internal/contract/cell';
import type { PlacementJson } from 'pawl/internal/contract/cell';
import { timeText } from 'pawl/internal/contract/event-view';
import {
  closed,
  Name,
  PAGE_DEFAULT,
  pagedBy,
  pageOf,
  cursorOf,
} from 'pawl/internal/contract/values';
import { PawlError } from 'pawl/internal/core/errors';
import type { CellView, Placement } from 'pawl/internal/store/cell-view';
import { sendPage } from './page.ts';
import { requireHome } from './require-home.ts';
import { type App, type Resource, routes, type Services } from './services.ts';

/** The cell that somebody names must be one of them; null where there is one database. */
function viewOf({ engine }: Services, cell: string | undefined): CellView | null {
  const view = engine.cells();
  if (cell === undefined || view?.names.includes(cell)) return view;
  throw noCell(view, cell);
}

function noCell(view: CellView | null, cell: string): PawlError {
  const remedy =
    view === null
      ? 'this platform has one database; name several in PAWL_CELLS and restart it'
      : `choose one of ${view.names.join(', ')}`;
  return new PawlError('NOT_FOUND', `there is no cell "${cell}": ${remedy}`);
}

/** Of a platform that has this cell. */
export function viewWith(services: Services, cell: string): CellView {
  const view = viewOf(services, cell);
  if (view === null) throw noCell(view, cell);
  return view;
}

function placementJson({ tenant, cell, since }: Placement): PlacementJson {
  return { tenant, cell, since: timeText(since) };
}

function listCells(app: App, services: Services): void {
  app.get(
    '/v1/cells',
    {
      schema: {
        tags: ['Health'],
        operationId: 'listCells',
        summary: 'The databases of the platform, and whether each can be reached',
        description:
          'In the order of `PAWL_CELLS`; the first one also keeps what belongs to no tenant. ' +
          'Empty where there is one database. For credentials of the tenant `default`.',
        response: { 200: closed({ items: Type.Array(CellSchema) }) },
      },
    },
    async (request) => {
      requireHome(request);
      return { items: (await services.engine.cells()?.states()) ?? [] };
    },
  );
}

function listPlacements(app: App, services: Services): void {
  app.get(
    '/v1/tenants',
    {
      schema: {
        tags: ['Health'],
        operationId: 'listTenants',
        summary: 'Which tenant lives in which database, by name',
        description: 'A tenant gets its cell with its first write, or when you place it.',
        querystring: closed({
          cell: Type.Optional(CellName),
          ...pagedBy(cursorOf('^[A-Za-z0-9._:/-]+$')),
        }),
        response: { 200: pageOf(PlacementSchema) },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      requireHome(request);
      const { cell, cursor, limit = PAGE_DEFAULT } = request.query;
      const query = {
        limit: limit + 1,
        ...(cell === undefined ? {} : { cell }),
        ...(cursor === undefined ? {} : { after: cursor }),
      };
      const found = (await viewOf(services, cell)?.placements(query)) ?? [];
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)!.tenant : null;
      return sendPage(reply, page.map(placementJson), next);
    },
  );
}

function placeTenant(app: App, services: Services): void {
  app.put(
    '/v1/tenants/:tenant/cell',
    {
      schema: {
        tags: ['Health'],
        operationId: 'placeTenant',
        summary: 'Choose the database of a new tenant',
        description:
          'Before its first write. A tenant that lives in another cell stays there: 409; ' +
          '`POST /v1/tenants/{tenant}/move` moves it.',
        params: closed({ tenant: Name }),
        body: CellBody,
        response: { 200: PlacementSchema },
        errors: ['NOT_FOUND', 'ALREADY_EXISTS'],
      },
    },
    async (request) => {
      requireHome(request);
      const { tenant } = request.params;
      const { cell } = request.body;
      const view = viewWith(services, cell);
      const placed = await view.place(tenant, cell);
      if (placed.cell === cell) return placementJson(placed);
      const message = `tenant "${tenant}" lives in cell "${placed.cell}" already: move it instead`;
      throw new PawlError('ALREADY_EXISTS', message);
    },
  );
}

/** `/v1/cells` and `/v1/tenants`. */
export const cells: Resource = routes(listCells, listPlacements, placeTenant);
