import { SCOPES } from '../contract/role.ts';
import { ConfigurationError } from '../settings/configuration-error.ts';
import type { StartedPlugin } from './started-plugin.ts';

const PATH = /^[a-z][a-z\d-]{0,30}$/;
const SCOPE = /^[a-z][a-z\d-]*:[a-z]+$/;
const SCRIPT = /\.m?js$/;

/** Refuses plug-ins that could not appear as they say, or that get in each other's way. */
export function refuseFaulty(started: readonly StartedPlugin[]): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  const kinds = new Set<string>();
  for (const one of started) {
    const { name } = one.plugin;
    const [fault] = [
      ...(names.has(name) ? ['appears twice: leave one of them out'] : []),
      ...scopeFaults(one),
      ...metricFaults(one),
      ...pageFaults(one, paths),
      ...recordFaults(one, kinds),
    ];
    if (fault !== undefined) throw new ConfigurationError(`the plug-in ${name}`, fault);
    names.add(name);
    for (const { path } of one.parts.pages) paths.add(path);
    for (const kind of one.plugin.records ?? []) kinds.add(kind.name);
  }
}

function scopeFaults({ plugin, parts }: StartedPlugin): string[] {
  const own: readonly string[] = plugin.scopes ?? [];
  const known = new Set<string>(['public', ...SCOPES, ...own]);
  return [
    ...own
      .filter((scope) => !SCOPE.test(scope) || (SCOPES as readonly string[]).includes(scope))
      .map((scope) => `declares the scope ${scope}: give it a name of its own, such as area:read`),
    ...parts.routes
      .filter(({ scope }) => !known.has(scope))
      .map(({ method, path, scope }) => {
        return `asks for the scope ${scope} at ${method} ${path}: add it to its \`scopes\``;
      }),
  ];
}

function metricFaults({ plugin, parts }: StartedPlugin): string[] {
  const prefix = `pawl_${plugin.name.replaceAll('-', '_')}_`;
  return parts.metrics
    .filter(({ name }) => !name.startsWith(prefix))
    .map(({ name }) => `has the metric ${name}: its name must begin with ${prefix}`);
}

function recordFaults({ plugin }: StartedPlugin, taken: ReadonlySet<string>): string[] {
  return (plugin.records ?? [])
    .filter(({ name }) => taken.has(name))
    .map(({ name }) => `keeps records of the kind "${name}", as another plug-in does: rename one`);
}

function pageFaults({ parts }: StartedPlugin, taken: ReadonlySet<string>): string[] {
  return parts.pages.flatMap(({ path, module }) => [
    ...(PATH.test(path)
      ? []
      : [`has a page at "${path}": give lower-case letters, digits and dashes, at most 31`]),
    ...(taken.has(path) ? [`has a page at "${path}", as another plug-in has: rename one`] : []),
    ...(module.protocol === 'file:' && SCRIPT.test(module.pathname)
      ? []
      : [`has a page in ${module.href}: give the URL of a .js file, which browsers can run`]),
  ]);
}
