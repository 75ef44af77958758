import type { FastifyReply } from 'fastify';
import { nextLink } from './edge.ts';

/** One page of a list, with a link to the next one where there is one. */
export function sendPage<Item>(
  reply: Pick<FastifyReply, 'request' | 'header'>,
  items: Item[],
  nextCursor: string | null,
): { items: Item[]; nextCursor: string | null } {
  if (nextCursor !== null) void reply.header('link', nextLink(reply.request, nextCursor));
  return { items, nextCursor };
}
