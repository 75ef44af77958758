// An API that asks for credentials, with keys of several roles and tenants.
import { Authenticator } from '../../src/auth/authenticator.ts';
import { HOME_TENANT, OPEN_CREDENTIAL } from '../../src/auth/credential.ts';
import { createKey, type KeyWish, type MadeKey } from '../../src/auth/manage-keys.ts';
import type { TokenReader } from '../../src/auth/token.ts';
import type { ServerOptions } from '../../src/http/server.ts';
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
