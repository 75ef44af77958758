import type { PawlHandler } from '@pawl/server';
import { openJobs } from '../../../pawl.ts';

// Stands for the access control that your application already has.
const credentials = Buffer.from(`admin:${process.env['ADMIN_PASSWORD'] ?? 'change me'}`);
const expected = `Basic ${credentials.toString('base64')}`;

const shared = globalThis as { pawlDashboard?: Promise<PawlHandler> };

async function mount(): Promise<PawlHandler> {
  const pawl = await openJobs();
  // One after the other: Next loads packages at once, and Node refuses that for what they share.
  const { handler } = await import('@pawl/server');
  return handler(pawl, { basePath: '/admin/jobs' });
}

/** The API and the dashboard of Pawl at /admin/jobs. */
async function answer(request: Request): Promise<Response> {
  if (request.headers.get('authorization') !== expected) {
    const headers = { 'www-authenticate': 'Basic realm="jobs"' };
    return new Response(null, { status: 401, headers });
  }
  const { fetch } = await (shared.pawlDashboard ??= mount());
  return fetch(request);
}

export {
  answer as GET,
  answer as HEAD,
  answer as POST,
  answer as PUT,
  answer as PATCH,
  answer as DELETE,
};
