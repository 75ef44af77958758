import { compose } from '../app/composed.ts';
import type { LogFacts } from '../app/log.ts';
import { type Platform, startPlatform } from '../app/platform.ts';
import { isPretty, processLog } from '../app/log-settings.ts';
import { stopSignal } from 'pawl/internal/settings/stop-signal';
import { greeting } from './greeting.ts';
import { adviceOn } from './start-advice.ts';

function factsOf({ url, storeName, isOpen, firstKeyFile, types }: Platform): LogFacts {
  return { url, store: storeName, isOpen, firstKeyFile, types };
}

export interface StartOptions {
  readonly flags?: Readonly<Record<string, string>>;
  /** How this command line is called where it is shown to people. */
  readonly command?: string;
}

/** What `pawl start` tells the process that started it, such as `pawl dev`. */
export interface Listening {
  readonly kind: 'listening';
  readonly url: string;
}

function tellParent({ url }: Platform): void {
  if (url === '') return;
  const listening: Listening = { kind: 'listening', url };
  // The parent may be gone, which its other signals tell.
  process.send?.(listening, undefined, undefined, () => {});
}

/** `pawl start`: runs until it is told to stop. */
export async function start(
  env: NodeJS.ProcessEnv,
  { flags = {}, command = 'pawl' }: StartOptions = {},
): Promise<number> {
  const stopped = stopSignal();
  try {
    const { configuration, parts } = await compose({ env, flags });
    const log = processLog(configuration.log, process.stdout);
    const platform = await startPlatform(configuration, log, parts);
    if (isPretty(configuration.log, process.stdout))
      process.stdout.write(greeting(platform, command));
    else log.info('Pawl is running', factsOf(platform));
    tellParent(platform);
    await stopped;
    log.info('Pawl is stopping');
    await platform.stop();
    return 0;
  } catch (error) {
    process.stderr.write(`Pawl could not start: ${adviceOn(error)}\n`);
    return 1;
  }
}
