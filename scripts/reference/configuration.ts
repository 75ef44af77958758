import type { Setting } from 'pawl/internal/settings/setting';
import { code, madeOf, table } from './table.ts';

const HEAD = `\
Every setting has the name of an environment variable. Flags of \`pawl start\` go before the
environment, the environment before a file (\`pawl.json\`, or the one that \`PAWL_CONFIG\`
names), the file before the default. \`pawl config\` shows each value and where it comes
from. Settings marked *secret* are never shown, and can be given as a file:
\`DATABASE_URL_FILE=/run/secrets/url\`.`;

/** docs/reference/configuration.md, whole. */
export function configurationPage(settings: readonly Setting[]): string {
  const rows = settings.map(({ name, fallback, sentence, isSecret }) => [
    code(name),
    fallback === null ? '–' : code(fallback),
    isSecret === true ? `${sentence} *Secret.*` : sentence,
  ]);
  return [
    '# Configuration',
    '',
    madeOf('`pawl config`'),
    '',
    HEAD,
    '',
    ...table(['setting', 'default', 'meaning'], rows),
    '',
  ].join('\n');
}
