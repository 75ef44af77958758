/** Next calls this once when a server starts: jobs that were left go on before any request. */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return;
  const { openJobs } = await import('./app/pawl.ts');
  const pawl = await openJobs();
  process.once('SIGTERM', () => void pawl.close());
}
