import { styleText } from 'node:util';
import { readConfiguration } from '../app/configuration.ts';
import type { LogFacts } from '../app/log.ts';
import { type Platform, startPlatform } from '../app/platform.ts';
import { isPretty, processLog } from '../app/log-settings.ts';
import { environmentOf, resolveSettings } from '../app/resolve-settings.ts';
import { stopSignal } from '../app/stop-signal.ts';

function accessText({ isOpen, firstKeyFile }: Platform): string {
  if (isOpen) {
    return styleText(
      'yellow',
      'OPEN: every program on this machine, and no other, may do anything',
    );
  }
  const made = firstKeyFile === null ? '' : `; the first one, for an admin, is in ${firstKeyFile}`;
  return `by API key${made}`;
}

/** What the platform can do as it stands: run a job of its own, or let anyone be the worker. */
function examples({ url, isOpen, types }: Platform): string {
  const key = isOpen ? '' : `-H "authorization: Bearer $PAWL_KEY" `;
  const json = `${key}-H 'content-type: application/json'`;
  if (types.includes('greet')) {
    return [
      `  curl -X POST ${url}/v1/jobs ${json} -d '{"type":"greet","input":{"names":["Ada"]}}'`,
      `  curl ${key}'${url}/v1/jobs?limit=1'`,
    ].join('\n');
  }
  if (types.includes('convert')) return `  bin/pawl demo\n${claiming(url, json)}`;
  return claiming(url, json);
}

function claiming(url: string, json: string): string {
  return [
    `  curl -X PUT ${url}/v1/types/hello ${json} -d '{"lifecycle":"task"}'`,
    `  curl -X POST ${url}/v1/jobs ${json} -d '{"type":"hello","input":{"name":"world"}}'`,
    `  curl -X POST ${url}/v1/claims ${json} -d '{"workerId":"me","types":["hello"],"max":1}'`,
  ].join('\n');
}

function greeting(platform: Platform): string {
  const { url, storeName, types } = platform;
  const worker =
    types.length === 0
      ? 'none here: name a module of jobs with PAWL_JOBS, or claim over HTTP'
      : `runs ${types.join(', ')}`;
  if (url === '') return `Pawl is running.\n\n  Store    ${storeName}\n  Worker   ${worker}\n`;
  return `
${styleText('bold', 'Pawl is running.')}

  API      ${styleText('cyan', url)}     (described at ${url}/openapi.json)
  Store    ${storeName}
  Worker   ${worker}
  Access   ${accessText(platform)}

Try it from another terminal:

${examples(platform)}

Stop with Ctrl-C: what was accepted stays.
`;
}

function factsOf({ url, storeName, isOpen, firstKeyFile, types }: Platform): LogFacts {
  return { url, store: storeName, isOpen, firstKeyFile, types };
}

/** `pawl start`: runs until it is told to stop. */
export async function start(
  env: NodeJS.ProcessEnv,
  flags: Readonly<Record<string, string>> = {},
): Promise<number> {
  const stopped = stopSignal();
  try {
    const configuration = readConfiguration(environmentOf(resolveSettings({ flags, env }), env));
    const log = processLog(configuration.log, process.stdout);
    const platform = await startPlatform(configuration, log);
    if (isPretty(configuration.log, process.stdout)) process.stdout.write(greeting(platform));
    else log.info('Pawl is running', factsOf(platform));
    await stopped;
    log.info('Pawl is stopping');
    await platform.stop();
    return 0;
  } catch (error) {
    process.stderr.write(`Pawl could not start: ${explain(error)}\n`);
    return 1;
  }
}

function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `${message}. Choose another port, for example PORT=8081.`;
  return message;
}
