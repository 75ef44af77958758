import { setTimeout as sleep } from 'node:timers/promises';
import { CellBody, TenantMoveSchema } from 'pawl/internal/contract/cell';
import type { TenantMoveJson } from 'pawl/internal/contract/cell';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import { closed, Name } from 'pawl/internal/contract/values';
import { PawlError } from 'pawl/internal/core/errors';
import { type CellView, MoveRefused, type MoveRefusal } from 'pawl/internal/store/cell-view';
import { entryOf } from '../auth/manage-keys.ts';
import { viewWith } from './cells.ts';
import { requireHome } from './require-home.ts';
import { type App, credentialOf, type Resource, routes, type Services } from './services.ts';

/** An answer waits so long for the end of a move. */
const ANSWER_MS = 1_000;
/** For so long it is known how a move has ended, to whoever asks again. */
const KEPT_MS = 60_000;

interface Running {
  readonly cell: string;
  readonly done: Promise<void>;
  at: TenantMoveJson;
  fault: unknown;
}

/** The moves that this process makes. A request that comes again is told of the one under way. */
class Moves {
  readonly #running = new Map<string, Running>();

  of(tenant: string, cell: string): Running | null {
    const running = this.#running.get(tenant);
    return running?.cell === cell ? running : null;
  }

  start(view: CellView, tenant: string, cell: string): Running {
    const none = { copied: 0, live: 0, ended: 0, records: 0, pauseMs: null };
    const at = { tenant, cell, state: 'moving', step: 'copying', ...none } as const;
    const running: Running = { cell, at, fault: null, done: Promise.resolve() };
    const done = this.#run(view, running, { tenant, cell });
    const started = Object.assign(running, { done });
    this.#running.set(tenant, started);
    void this.#forgetLater(tenant, started);
    return started;
  }

  async #forgetLater(tenant: string, running: Running): Promise<void> {
    await running.done;
    await sleep(KEPT_MS, undefined, { ref: false });
    if (this.#running.get(tenant) === running) this.#running.delete(tenant);
  }

  async #run(
    view: CellView,
    running: Running,
    { tenant, cell }: { tenant: string; cell: string },
  ): Promise<void> {
    try {
      const { pauseMs } = await view.move(tenant, cell, (progress) => {
        running.at = { ...running.at, ...progress };
      });
      const pause = pauseMs === null ? null : Math.round(pauseMs);
      running.at = { ...running.at, state: 'moved', step: 'settled', pauseMs: pause };
    } catch (error) {
      running.fault = error;
    }
  }

  forget(tenant: string): void {
    this.#running.delete(tenant);
  }
}

const CODES: Readonly<Record<MoveRefusal, 'ALREADY_EXISTS' | 'NOT_FOUND'>> = {
  here: 'ALREADY_EXISTS',
  nowhere: 'NOT_FOUND',
  elsewhere: 'ALREADY_EXISTS',
  kinds: 'ALREADY_EXISTS',
};

function problemOf(error: unknown): unknown {
  if (!(error instanceof MoveRefused)) return error;
  return new PawlError(CODES[error.reason], error.message);
}

function moveTenant(app: App, services: Services): void {
  const moves = new Moves();
  app.post(
    '/v1/tenants/:tenant/move',
    {
      schema: {
        tags: ['Health'],
        operationId: 'moveTenant',
        summary: 'Move a tenant to another database while it works',
        description:
          'Answers after a second at most, with how far the move has come: repeat the request ' +
          'until `state` is `moved`. After a crash the same request continues. 409 where the ' +
          'tenant lives there already, or is on its way to another cell.',
        params: closed({ tenant: Name }),
        headers: IDEMPOTENT_BY_STATE,
        body: CellBody,
        response: { 200: TenantMoveSchema },
        errors: ['NOT_FOUND', 'ALREADY_EXISTS'],
      },
    },
    async (request) => {
      requireHome(request);
      const { tenant } = request.params;
      const { cell } = request.body;
      const view = viewWith(services, cell);
      let running = moves.of(tenant, cell);
      if (running === null) {
        const { engine } = services;
        const did = { action: 'tenant.move_asked', subject: tenant, details: { cell } };
        await engine.audit.add([entryOf(engine, credentialOf(request), did)]);
        running = moves.start(view, tenant, cell);
      }
      await Promise.race([running.done, sleep(ANSWER_MS)]);
      if (running.fault === null) return running.at;
      moves.forget(tenant);
      throw problemOf(running.fault);
    },
  );
}

/** `/v1/tenants/{tenant}/move`. */
export const tenantMoves: Resource = routes(moveTenant);
