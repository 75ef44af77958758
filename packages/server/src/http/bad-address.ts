import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from 'pawl/internal/core/errors';

type Send = (error: Error, request: FastifyRequest, reply: FastifyReply) => unknown;

/** Answers for paths that no route gets to see, in the same words as every other refusal. */
export function badAddress(
  send: Send,
): (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void {
  return ({ code }, request, reply) => {
    const message =
      code === 'FST_ERR_MAX_PARAM_LENGTH'
        ? 'has a name in its path that is too long; shorten it'
        : 'has a path that cannot be decoded; percent-encode its names as UTF-8';
    void reply.header('x-content-type-options', 'nosniff');
    void send(invalid([{ pointer: '', message }]), request, reply);
  };
}
