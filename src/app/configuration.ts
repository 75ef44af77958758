import { join } from 'node:path';

/** What a running platform is told from outside. */
export interface Configuration {
  readonly host: string;
  readonly port: number;
  /** The folder of the embedded store. */
  readonly dataFolder: string;
  /** PostgreSQL instead of the embedded store. */
  readonly databaseUrl: string | null;
}

/** A setting has a value that cannot be meant; the message names it and the way out. */
export class ConfigurationError extends Error {
  constructor(setting: string, fault: string) {
    super(`${setting} ${fault}`);
    this.name = 'ConfigurationError';
  }
}

function portOf(text: string | undefined): number {
  if (text === undefined || text === '') return 8080;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new ConfigurationError('PORT', `is "${text}": give a whole number from 0 to 65535`);
}

export function readConfiguration(env: NodeJS.ProcessEnv): Configuration {
  return {
    host: env['HOST'] ?? '127.0.0.1',
    port: portOf(env['PORT']),
    dataFolder: env['PAWL_DATA'] ?? 'data',
    databaseUrl: env['DATABASE_URL'] ?? null,
  };
}

export function storePath(configuration: Configuration): string {
  return join(configuration.dataFolder, 'pawl.db');
}
