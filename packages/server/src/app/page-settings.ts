import type { PageSettings, SignInSettings } from 'pawl/internal/contract/page';
import { type AccessSettings, isSafeUrl } from './access-settings.ts';
import { ConfigurationError } from 'pawl/internal/settings/configuration-error';

const SCOPE = 'openid profile';
const TRACE = '{traceId}';

/** What the dashboard is told before anybody has signed in. */
export function readPageSettings(env: NodeJS.ProcessEnv, access: AccessSettings): PageSettings {
  return { signIn: signInOf(env, access), traceUrl: traceUrlOf(env['PAWL_TRACE_URL'] ?? '') };
}

/** Where people can sign in: null without a client id, or where nobody is asked for anything. */
function signInOf(
  env: NodeJS.ProcessEnv,
  { isOpen, provider }: AccessSettings,
): SignInSettings | null {
  const clientId = env['PAWL_OIDC_CLIENT_ID'] ?? '';
  if (clientId === '') return null;
  if (provider === null) {
    throw new ConfigurationError('PAWL_OIDC_CLIENT_ID', 'is set: give PAWL_OIDC_ISSUER too');
  }
  const { issuer } = provider;
  if (!URL.canParse(issuer) || !isSafeUrl(new URL(issuer))) {
    const form = 'people can sign in at an https address only';
    throw new ConfigurationError('PAWL_OIDC_ISSUER', `is "${issuer}": ${form}`);
  }
  const scope = env['PAWL_OIDC_SCOPE'] ?? SCOPE;
  if (!scope.split(' ').includes('openid')) {
    throw new ConfigurationError(
      'PAWL_OIDC_SCOPE',
      `is "${scope}": openid must be among its words`,
    );
  }
  return isOpen ? null : { issuer, clientId, scope };
}

function traceUrlOf(text: string): string | null {
  if (text === '') return null;
  const isWhole = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (isWhole && text.includes(TRACE)) return text;
  const form = `give an address such as https://traces.example/trace/${TRACE}`;
  throw new ConfigurationError('PAWL_TRACE_URL', `is "${text}": ${form}`);
}
