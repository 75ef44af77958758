import { Type } from 'typebox';
import type { FastifyRequest } from 'fastify';
import type { LinkClaims } from 'pawl/internal/artifact/link';
import type { Ownership } from 'pawl/internal/engine/owner';
import { ownerOf, refOf } from './services.ts';
import { OWNER } from 'pawl/internal/contract/owner';

/** How an attempt names itself, where it must. */
export const HOLDER_QUERY = OWNER;

/** The same where it may: it then sees what others do not see yet. */
export const READER_QUERY = {
  workerId: Type.Optional(HOLDER_QUERY.workerId),
  epoch: Type.Optional(HOLDER_QUERY.epoch),
  token: HOLDER_QUERY.token,
};

interface Reader {
  readonly jobId?: string;
  readonly workerId?: string;
  readonly epoch?: number;
  readonly token?: string;
}

/** The attempt that asks; null for everybody else. */
export function heldIn(
  request: FastifyRequest,
  { jobId, workerId, epoch, token }: Reader,
): Ownership | null {
  if (jobId === undefined || workerId === undefined || epoch === undefined) return null;
  return { ref: refOf(request, jobId), owner: ownerOf(request, workerId), epoch, token };
}

/** The attempt that a link was made for. */
export function holderOf({ tenant, holder }: LinkClaims): Ownership | null {
  if (!holder) return null;
  const { jobId, owner, epoch } = holder;
  return { ref: { tenant, id: jobId }, owner, epoch };
}
