// An API that asks for credentials, with keys of several roles and tenants.
import { Authenticator } from '@pawl/server/internal/auth/authenticator';
import { HOME_TENANT, OPEN_CREDENTIAL } from 'pawl/internal/contract/credential';
import { createKey, type KeyWish, type MadeKey } from '@pawl/server/internal/auth/manage-keys';
import type { TokenReader } from '@pawl/server/internal/auth/token';
import type { ServerOptions } from '@pawl/server/internal/http/server';
import { type Api, openApi } from './http-fixture.ts';

export interface LockedApi {
  readonly api: Api;
  /** Makes a key and answers with the API as its holder calls it. */
  readonly holder: (wish: Partial<KeyWish>) => Promise<{ api: Api; made: MadeKey }>;
}

export async function openLocked(
  options: { tokens?: TokenReader; server?: Partial<ServerOptions> } = {},
): Promise<LockedApi> {
  const api = await openApi({
    server: (world) => ({
      authenticator: new Authenticator({
        accessKeys: world.engine.accessKeys,
        clock: world.clock,
        tokens: options.tokens ?? null,
      }),
      ...options.server,
    }),
  });
  const { engine } = api.world;
  const fixture = { accessKeys: engine.accessKeys, ids: engine.ids };
  return {
    api,
    holder: async (wish) => {
      const whole = { name: 'someone', roles: ['admin' as const], tenant: HOME_TENANT, ...wish };
      const made = await createKey(fixture, OPEN_CREDENTIAL, whole);
      return { api: api.with({ authorization: `Bearer ${made.text}` }), made };
    },
  };
}
