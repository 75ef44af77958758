import type { Static } from 'typebox';
import type { Page, Paging } from '../handle/job-snapshot.ts';
import type { AuditSchema, KeyJson, MadeKeySchema, NewKeyJson } from '../contract/access-key.ts';
import type { Connection } from './connection.ts';

export type { NewKeyJson };
/** A new API key with its secret, which is shown once. */
export type MadeKeyJson = Static<typeof MadeKeySchema>;
export type AuditJson = Static<typeof AuditSchema>;

function pathOf(id: string, verb = ''): string {
  return `/v1/keys/${encodeURIComponent(id)}${verb}`;
}

/** `/v1/keys` and `/v1/audit`: API keys and the audit log. */
export class KeysClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The key itself is in this answer and in no other. */
  async create(wish: NewKeyJson, options: { idempotencyKey?: string } = {}): Promise<MadeKeyJson> {
    const call = { method: 'POST', path: '/v1/keys', body: wish, ...options } as const;
    return (await this.#connection.call(call)).body as MadeKeyJson;
  }

  /** By time of creation. */
  async list(paging: Paging = {}): Promise<Page<KeyJson>> {
    const call = { method: 'GET', path: '/v1/keys', query: { ...paging } } as const;
    return (await this.#connection.call(call)).body as Page<KeyJson>;
  }

  async get(id: string): Promise<KeyJson> {
    return (await this.#connection.call({ method: 'GET', path: pathOf(id) })).body as KeyJson;
  }

  async rotate(id: string, how: { overlapMs?: number } = {}): Promise<MadeKeyJson> {
    const call = { method: 'POST', path: pathOf(id, '/rotate'), body: how } as const;
    return (await this.#connection.call(call)).body as MadeKeyJson;
  }

  async revoke(id: string): Promise<KeyJson> {
    const call = { method: 'POST', path: pathOf(id, '/revoke') } as const;
    return (await this.#connection.call(call)).body as KeyJson;
  }

  async audit(paging: Paging = {}): Promise<Page<AuditJson>> {
    const call = { method: 'GET', path: '/v1/audit', query: { ...paging } } as const;
    return (await this.#connection.call(call)).body as Page<AuditJson>;
  }
}
