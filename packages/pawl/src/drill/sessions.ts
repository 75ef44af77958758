/** How many sessions of Pawl's processes are open on a database. */
export async function sessionsOn(url: string): Promise<number> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error('the PostgreSQL store needs the package "pg": npm install pg', { cause });
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'pawl'`,
    );
    return rows[0]!.count;
  } finally {
    await client.end();
  }
}
