import pg from 'pg';

/** Plain SQL beside whatever is measured. */
export async function withClient<Answer>(
  url: string,
  body: (client: pg.Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}
