import type { Setting } from 'pawl/plugin';
import { ogc } from '@pawl/ogc';
import { SETTINGS } from '@pawl/server/internal/app/settings';
import { code, madeOf, table } from './table.ts';

const HEAD = `\
Every setting has the name of an environment variable. Flags of \`pawl start\` go before the
environment, the environment before a file (\`pawl.json\`, or the one that \`PAWL_CONFIG\`
names), the file before the default. \`pawl config\` shows each value and where it comes
from. Settings marked *secret* are never shown, and can be given as a file:
\`DATABASE_URL_FILE=/run/secrets/url\`.`;

/** Those of the platform, and those of the plug-ins that come with it. */
export const ALL_SETTINGS: readonly Setting[] = [...SETTINGS, ...(ogc().settings ?? [])];

/** docs/reference/configuration.md, whole. */
export function configurationPage(): string {
  const rows = ALL_SETTINGS.map(({ name, fallback, sentence, isSecret }) => [
    code(name),
    fallback === null ? '–' : code(fallback),
    isSecret === true ? `${sentence} *Secret.*` : sentence,
  ]);
  return [
    '# Configuration',
    '',
    madeOf('the settings of the platform and its plug-ins'),
    '',
    HEAD,
    '',
    ...table(['setting', 'default', 'meaning'], rows),
    '',
  ].join('\n');
}
