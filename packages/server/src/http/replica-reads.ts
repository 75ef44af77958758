import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Engine } from 'pawl/internal/engine/engine';
import type { ReplicaReads } from 'pawl/internal/engine/replica-reads';
import { POSITION_HEADER, STALE_HEADER } from 'pawl/internal/contract/position';
import { credentialOf, type Services } from './services.ts';

/** Where an answer goes that may come from a replica. */
interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: Pick<FastifyReply, 'header'>;
}

/**
 * A list, from a replica where the caller says how far it has written and the replica has come that
 * far; else from the primary. What a caller who does not see all of its tenant may see is decided
 * by the primary.
 */
export async function readNear<Answer>(
  { engine }: Pick<Services, 'engine'>,
  { request, reply }: Exchange,
  read: (from: ReplicaReads) => Promise<Answer>,
): Promise<Answer> {
  const { reach } = credentialOf(request);
  if (!engine.hasReplica || reach !== 'tenant') return read(engine);
  const after = request.headers[POSITION_HEADER];
  if (typeof after !== 'string') {
    const answer = await read(engine);
    await tellPosition(engine, reply);
    return answer;
  }
  // Whatever goes wrong there, the primary tells what is really wrong.
  const found = await engine.onReplica(after, read).catch(() => null);
  if (found === null) return read(engine);
  void reply.header(STALE_HEADER, String(found.staleMs));
  return found.answer;
}

async function tellPosition(engine: Engine, reply: Pick<FastifyReply, 'header'>): Promise<void> {
  // A client that is told none asks the primary.
  const position = await engine.position().catch(() => null);
  if (position !== null) void reply.header(POSITION_HEADER, position);
}

/** Whoever has once been told a position is told one with each of its writes. */
export function tellPositions(app: FastifyInstance, engine: Engine): void {
  if (!engine.hasReplica) return;
  app.addHook('onSend', async (request, reply) => {
    const isTold = request.headers[POSITION_HEADER] !== undefined;
    if (!isTold || request.method === 'GET' || reply.statusCode >= 400) return;
    await tellPosition(engine, reply);
  });
}
