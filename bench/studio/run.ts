// Converts and exports one deck again and again on a platform as `npm start` opens it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import {
  type Durations,
  measureStudio,
  type StudioBench,
} from '../../packages/studio/src/cli/bench-studio.ts';
import { ApiClient } from 'pawl/client';

export async function runStudio(
  options: StudioBench,
  say: (text: string) => void,
): Promise<Durations> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-studio-'));
  const configuration = readConfiguration({ PORT: '0', PAWL_DATA: folder });
  const platform = await startPlatform(configuration, { warn: say });
  try {
    return await measureStudio(new ApiClient({ url: platform.url }), options, say);
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
