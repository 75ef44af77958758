import type { FastifyReply } from 'fastify';
import type { Job } from 'pawl/internal/core/job';
import { nextLink } from 'pawl/internal/contract/next-link';
import type { JobJson } from 'pawl/internal/contract/job';
import { PAYLOAD_PAGE_MAX } from 'pawl/internal/contract/payloads';
import { PAGE_DEFAULT } from 'pawl/internal/contract/values';
import { listed } from './validation.ts';
import { jobJson, wholeJobJson } from './view.ts';

interface JobListing {
  readonly payloads?: boolean;
  readonly limit?: number;
}

/** How jobs of a list are shown, by whether their payloads are asked for. */
export function jobShower({ payloads, limit }: JobListing): (job: Job) => JobJson {
  if (payloads !== true) return jobJson;
  if (limit !== undefined && limit > PAYLOAD_PAGE_MAX) {
    const message = `must be at most ${PAYLOAD_PAGE_MAX} with \`payloads\``;
    throw listed([{ in: 'query', pointer: '/limit', message }]);
  }
  return wholeJobJson;
}

interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/**
 * The page of a list that was read whole. Its cursor is the place of the last item: what comes
 * after it is shown next, whatever came or went in between.
 */
export function cutPage<Item>(
  items: readonly Item[],
  { limit = PAGE_DEFAULT, cursor }: PageQuery,
  { placeOf, isAfter = (place, last) => place > last }: Places<Item>,
): { readonly page: readonly Item[]; readonly nextCursor: string | null } {
  const rest = cursor === undefined ? items : items.filter((one) => isAfter(placeOf(one), cursor));
  const page = rest.slice(0, limit);
  return { page, nextCursor: rest.length > limit ? placeOf(page.at(-1)!) : null };
}

/** The page of a list of which one item more was read than is shown. */
export function pageBefore<Item>(
  found: readonly Item[],
  limit: number,
  placeOf: (item: Item) => string,
): { readonly page: readonly Item[]; readonly nextCursor: string | null } {
  const page = found.slice(0, limit);
  return { page, nextCursor: found.length > limit ? placeOf(page.at(-1)!) : null };
}

/** How items of a list stand to each other. */
interface Places<Item> {
  readonly placeOf: (item: Item) => string;
  /** By default the places rise. */
  readonly isAfter?: (place: string, last: string) => boolean;
}

/** One page of a list, with a link to the next page if there is one. */
export function sendPage<Item>(
  reply: Pick<FastifyReply, 'request' | 'header'>,
  items: Item[],
  nextCursor: string | null,
): { items: Item[]; nextCursor: string | null } {
  if (nextCursor !== null) void reply.header('link', nextLink(reply.request.url, nextCursor));
  return { items, nextCursor };
}
