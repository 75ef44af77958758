import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { JobRef } from '../core/job.ts';
import type { Caller } from '../engine/enqueue.ts';
import type { Engine } from '../engine/engine.ts';
import type { LiveHub } from './live.ts';

/** What every resource of the API works with. */
export interface Face {
  readonly engine: Engine;
  readonly live: LiveHub;
}

export type Resource = FastifyPluginCallbackTypebox<Face>;

/** The server as a resource sees it: schemas infer the types of requests. */
export type App = Parameters<Resource>[0];

/** A resource of several routes, each registered by a function of its own. */
export function routes(...register: ((app: App, face: Face) => void)[]): Resource {
  return (app, face, done) => {
    for (const one of register) one(app, face);
    done();
  };
}

/** Who is asking. Until credentials are checked there is one tenant and nobody has a name. */
export function callerOf(_request: FastifyRequest): Caller {
  return { tenant: 'default', principal: null };
}

export function refOf(request: FastifyRequest, id: string): JobRef {
  return { tenant: callerOf(request).tenant, id };
}
