// A platform of its own for clients in other languages: everything on, nothing kept.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';

export interface ClientServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startServer(): Promise<ClientServer> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-clients-'));
  const configuration = readConfiguration({ PORT: '0', PAWL_DATA: folder });
  const platform = await startPlatform(configuration, { warn: () => undefined });
  return {
    url: platform.url,
    stop: async () => {
      await platform.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
