import { type Static, Type } from 'typebox';
import type { TypeRecord } from '../store/store.ts';
import { PawlError } from '../core/errors.ts';
import type { Engine } from '../engine/engine.ts';
import { type App, callerOf, type Face, type Resource, routes } from './face.ts';
import { TypeBody, TypeSchema } from './schema/type.ts';
import { Name } from './schema/values.ts';
import { timeText } from './view.ts';

const Params = Type.Object({ type: Name });

async function typeJson(engine: Engine, record: TypeRecord): Promise<Static<typeof TypeSchema>> {
  const policy = await engine.context.registry.policy(record.policy);
  const { type, revision, updatedAt } = record;
  return {
    type,
    revision,
    ...policy,
    retryable: [...policy.retryable],
    stages: [...policy.stages],
    updatedAt: timeText(updatedAt),
  };
}

function putType(app: App, { engine }: Face): void {
  app.put(
    '/v1/types/:type',
    {
      schema: {
        summary: 'Register a type, or change it for the jobs to come',
        params: Params,
        body: TypeBody,
        response: { 200: TypeSchema, 201: TypeSchema },
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const { type } = request.params;
      const known = await engine.context.store.types(tenant);
      const record = await engine.putType({ tenant, type }, request.body);
      const isNew = !known.some((one) => one.type === type);
      return reply.code(isNew ? 201 : 200).send(await typeJson(engine, record));
    },
  );
}

function listTypes(app: App, { engine }: Face): void {
  app.get('/v1/types', { schema: { summary: 'All types' } }, async (request) => {
    const records = await engine.context.store.types(callerOf(request).tenant);
    return {
      items: await Promise.all(records.map((record) => typeJson(engine, record))),
      nextCursor: null,
    };
  });
}

function readType(app: App, { engine }: Face): void {
  app.get(
    '/v1/types/:type',
    { schema: { summary: 'One type', params: Params, response: { 200: TypeSchema } } },
    async (request) => {
      const { type } = request.params;
      const records = await engine.context.store.types(callerOf(request).tenant);
      const record = records.find((one) => one.type === type);
      if (record === undefined) {
        throw new PawlError('UNKNOWN_TYPE', `the type "${type}" is not registered`);
      }
      return typeJson(engine, record);
    },
  );
}

/** `/v1/types`: what a type's jobs live by. */
export const jobTypes: Resource = routes(putType, listTypes, readType);
