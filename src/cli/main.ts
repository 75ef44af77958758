#!/usr/bin/env node
import { start } from './start.ts';

const USAGE = `pawl: durable jobs that only move forward

  pawl start     run the platform: API, sweeps and a worker for your jobs, on SQLite in
                 ./data, or on PostgreSQL when DATABASE_URL is set

Settings: PORT (8080), HOST (127.0.0.1), PAWL_DATA (./data), DATABASE_URL,
          PAWL_JOBS (a module that exports jobs),
          PAWL_AUTH (on, but off on 127.0.0.1), PAWL_OIDC_ISSUER, PAWL_OIDC_AUDIENCE,
          PAWL_OIDC_JWKS_URL, PAWL_REQUESTS_PER_SECOND, PAWL_DRAIN_MS
`;

/** Exit codes: 0 done, 1 failed, 2 not understood. */
async function main(words: readonly string[]): Promise<number> {
  const [command = 'help'] = words;
  switch (command) {
    case 'start':
      return start(process.env);
    case 'help':
    case '--help':
    case '-h':
      process.stdout.write(USAGE);
      return 0;
    default:
      process.stderr.write(`pawl knows no command "${command}".\n\n${USAGE}`);
      return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
