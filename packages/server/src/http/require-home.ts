import type { FastifyRequest } from 'fastify';
import { HOME_TENANT } from 'pawl/internal/contract/credential';
import { PawlError } from 'pawl/internal/core/errors';
import { credentialOf } from './services.ts';

/** What concerns all tenants together is for those who run the platform. */
export function requireHome(request: FastifyRequest): void {
  if (credentialOf(request).tenant === HOME_TENANT) return;
  const message = 'the whole platform is shown to credentials of its own tenant only';
  throw new PawlError('FORBIDDEN', message);
}
