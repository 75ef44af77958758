import type { Page, Paging } from '../handle/job-snapshot.ts';
import type { FireJson, ScheduleBodyJson, ScheduleJson } from '../contract/schedule.ts';
import type { Connection } from './connection.ts';

function pathOf(name: string, verb = ''): string {
  return `/v1/schedules/${encodeURIComponent(name)}${verb}`;
}

/** `/v1/schedules`: rules that create jobs in time. */
export class SchedulesClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Throws ALREADY_EXISTS where another one has the name; `put` changes it. */
  async create(name: string, definition: ScheduleBodyJson): Promise<ScheduleJson> {
    const body = { name, ...definition };
    const call = { method: 'POST', path: '/v1/schedules', body } as const;
    return (await this.#connection.call(call)).body as ScheduleJson;
  }

  async put(name: string, definition: ScheduleBodyJson): Promise<ScheduleJson> {
    const call = { method: 'PUT', path: pathOf(name), body: definition } as const;
    return (await this.#connection.call(call)).body as ScheduleJson;
  }

  async get(name: string): Promise<ScheduleJson> {
    const { body } = await this.#connection.call({ method: 'GET', path: pathOf(name) });
    return body as ScheduleJson;
  }

  async list(paging: Paging = {}): Promise<Page<ScheduleJson>> {
    const call = { method: 'GET', path: '/v1/schedules', query: { ...paging } } as const;
    return (await this.#connection.call(call)).body as Page<ScheduleJson>;
  }

  async remove(name: string): Promise<void> {
    await this.#connection.call({ method: 'DELETE', path: pathOf(name) });
  }

  async pause(name: string): Promise<ScheduleJson> {
    const { body } = await this.#connection.call({ method: 'POST', path: pathOf(name, '/pause') });
    return body as ScheduleJson;
  }

  async resume(name: string): Promise<ScheduleJson> {
    const { body } = await this.#connection.call({ method: 'POST', path: pathOf(name, '/resume') });
    return body as ScheduleJson;
  }

  /** Makes its job now; with the same key, once. */
  async run(name: string, options: { idempotencyKey?: string } = {}): Promise<FireJson> {
    const call = { method: 'POST', path: pathOf(name, '/run'), ...options } as const;
    return (await this.#connection.call(call)).body as FireJson;
  }

  /** Past slots, the latest first. */
  async history(name: string, paging: Paging = {}): Promise<Page<FireJson>> {
    const path = pathOf(name, '/history');
    const { body } = await this.#connection.call({ method: 'GET', path, query: { ...paging } });
    return body as Page<FireJson>;
  }
}
