import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { INPUT } from '../core/contender.ts';
import { DEFINITION, type Endpoint, type Held, TYPE } from './endpoint.ts';

interface ClaimAnswer {
  readonly jobs: readonly { readonly job: { readonly id: string }; readonly epoch: number }[];
}

/** Through the API: connections that stay open, a key, and an Idempotency-Key for every call. */
export async function openHttpEndpoint(at: {
  url: string;
  key: string;
  connections: number;
}): Promise<Endpoint> {
  const pool = new Pool(at.url, { connections: at.connections });
  const call = async (method: 'POST' | 'PUT', path: string, body: object): Promise<unknown> => {
    const answer = await pool.request({
      method,
      path,
      headers: {
        authorization: `Bearer ${at.key}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
  };
  await call('PUT', `/v1/types/${TYPE}`, DEFINITION);
  const job = { type: TYPE, input: INPUT };
  return {
    async enqueue(size) {
      if (size === 1) await call('POST', '/v1/jobs', job);
      else await call('POST', '/v1/jobs/batch', { jobs: Array.from({ length: size }, () => job) });
    },
    async claim(owner, max) {
      const asked = { workerId: owner, types: [TYPE], max };
      const { jobs } = (await call('POST', '/v1/claims', asked)) as ClaimAnswer;
      return jobs.map(({ job: { id }, epoch }): Held => ({ id, owner, epoch }));
    },
    async complete({ id, owner, epoch }) {
      await call('POST', `/v1/jobs/${id}/complete`, { workerId: owner, epoch });
    },
    close: () => pool.close(),
  };
}
