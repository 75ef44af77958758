// Stands for the access control that your application already has: HTTP Basic, one password.
import { timingSafeEqual } from 'node:crypto';

const PASSWORD = Buffer.from(process.env['ADMIN_PASSWORD'] ?? 'change me');

/** The name of the administrator who sends a request; null for everybody else. */
export function adminOf(authorization: string | null | undefined): string | null {
  const [scheme, credentials = ''] = (authorization ?? '').split(' ');
  const [, name = '', password = ''] =
    /^([^:]+):(.*)$/s.exec(Buffer.from(credentials, 'base64').toString()) ?? [];
  const given = Buffer.from(password);
  const isRight = given.length === PASSWORD.length && timingSafeEqual(given, PASSWORD);
  return scheme === 'Basic' && isRight ? name : null;
}

/** What a browser needs in order to ask for them. */
export const CHALLENGE = { 'www-authenticate': 'Basic realm="jobs"' } as const;
