// A route of the API that takes a body, and how to see what became of what was sent to it.
import type { Answer, Api, Method } from '../../spec/http-fixture.ts';

/** Whom a request is for: an address, and members of the body that go with it. */
export interface Target {
  readonly url: string;
  readonly own?: object;
}

type Shower = (api: Api, target: Target, answer: Answer) => Promise<unknown>;

export interface WriteRoute {
  readonly operation: string;
  readonly method: Method;
  /** Makes what the request is about. */
  readonly open: (api: Api) => Promise<Target>;
  readonly bodies: () => readonly object[];
  /** All that is shown of what an accepted request has made. */
  readonly shown?: Shower;
  /** Fields that no answer shows as they were sent, by the beginnings of their pointers. */
  readonly unseen?: readonly string[];
  /** Fields for people, where what no database holds is replaced and too much is cut. */
  readonly messages?: readonly string[];
}

export function at(url: string): WriteRoute['open'] {
  return () => Promise.resolve({ url });
}

/** A job with all that it was given, said and made. */
async function jobAt(api: Api, url: string): Promise<unknown> {
  const parts = [`${url}?payloads=true`, `${url}/events?limit=1000`];
  return (await Promise.all(parts.map((part) => api.get(part)))).map(({ body }) => body);
}

/** The address of the job that a target is about. */
export function jobUrlOf({ url }: Target): string {
  return url.split('/').slice(0, 4).join('/');
}

/** The job that was made. */
export const madeJob: Shower = (api, _target, { body }) =>
  jobAt(api, `/v1/jobs/${(body.results?.[0].job ?? body).id}`);

/** The job that the request was about. */
export const itsJob: Shower = (api, target) => jobAt(api, jobUrlOf(target));

export const answered: Shower = (_api, _target, { body }) => Promise.resolve(body);
