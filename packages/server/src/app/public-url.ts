import { publicUrlOf } from 'pawl/internal/pawl/links';
import { ConfigurationError } from 'pawl/internal/settings/configuration-error';

/** Where clients reach the platform, without a slash at its end; null: by the Host they name. */
export function readPublicUrl(env: NodeJS.ProcessEnv): string | null {
  const text = env['PAWL_PUBLIC_URL'] ?? '';
  if (text === '') return null;
  const url = publicUrlOf(text);
  if (url !== null) return url;
  const form = 'give an address such as https://jobs.example.org';
  throw new ConfigurationError('PAWL_PUBLIC_URL', `is "${text}": ${form}`);
}
