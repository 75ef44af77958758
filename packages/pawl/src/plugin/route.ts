import type { Static, TSchema } from 'typebox';
import type { Credential } from '../contract/credential.ts';
import type { AnyScope } from '../contract/role.ts';
import type { ErrorCode } from '../core/errors.ts';

/** The context of a request: caller, values, log. */
export interface RouteContext {
  /** The parts of the path that the route names, `:id` in it. */
  readonly params: Readonly<Record<string, string>>;
  /** As the schema of the route reads it; text where there is none. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The parsed JSON body, checked by the schema of the route; undefined without one. */
  readonly body: unknown;
  /** Who asks; a guest where the route asks nobody for a credential. */
  readonly caller: Credential;
  /** As answers and log lines name the request. */
  readonly requestId: string;
  /** Where the caller reached the server: `https://jobs.example.org`. */
  readonly origin: string;
  /** Aborted when the caller has gone or the server stops. */
  readonly signal: AbortSignal;
}

type Answer = Response | object | Promise<Response | object>;

/** A route of a plug-in. */
export interface PluginRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/things/:id`. */
  readonly path: string;
  /** What a credential must allow; `public`: none is asked for. */
  readonly scope: AnyScope | 'public';
  /** Callers without a credential are let in, and the route sees what is for them. */
  readonly isGuestWelcome?: boolean;
  /**
   * Callers with the role `user` are let in: the route shows them what `engine.reachedJobs` and
   * `engine.jobs({ requester })` find for them, and nothing else.
   */
  readonly isReachKept?: boolean;
  /** For the OpenAPI document; left out: the plug-in describes the route elsewhere. */
  readonly doc?: {
    readonly operationId: string;
    readonly summary: string;
    readonly description?: string;
    readonly tag: string;
    /** Codes that it answers with, beside those that every route can. */
    readonly errors?: readonly ErrorCode[];
  };
  readonly headers?: TSchema;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** The bodies of answers, by status. */
  readonly answers?: Readonly<Record<number, TSchema>>;
  /** Larger bodies than usual. */
  readonly bodyBytesMax?: number;
  /** Waits on purpose: not counted as slow. */
  readonly isLong?: boolean;
  /** An object is sent as JSON. An error is answered as a problem, unless `onError` says how. */
  readonly handle: (request: Request, context: RouteContext) => Answer;
  /**
   * Answers what `handle` throws, and refusals before it: by credential, rate, size or schema. What
   * the platform or its store refuses is a PawlError.
   */
  readonly onError?: (error: unknown, request: Request, context: RouteContext) => Response;
}

/** A context whose values have the types of the route's schemas. */
export type TypedContext<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
> = Omit<RouteContext, 'params' | 'query' | 'body'> & {
  readonly params: Static<Params>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
};

/** A route whose handler is given values of the types that its schemas describe. */
export function defineRoute<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  route: Omit<PluginRoute, 'params' | 'query' | 'body' | 'handle'> & {
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    readonly handle: (request: Request, context: TypedContext<Params, Query, Body>) => Answer;
  },
): PluginRoute {
  // The server has checked the values by the same schemas before it calls the handler.
  return route as unknown as PluginRoute;
}
