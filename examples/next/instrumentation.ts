/** Next calls this once when a server starts: jobs that were left continue before any request. */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] === 'nodejs') {
    const { openAndClose } = await import('./instrumentation-node.ts');
    await openAndClose();
  }
}
