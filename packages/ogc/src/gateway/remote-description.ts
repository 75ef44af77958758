import { type Link, readLinks } from '../model/link.ts';
import type {
  ProcessDescription,
  ProcessMember,
  ProcessSummary,
} from '../model/process-description.ts';
import { hasRel, REL } from '../model/vocabulary.ts';
import { processIdOf } from './process-id.ts';
import type { Provider } from './provider.ts';

type Members = Readonly<Record<string, unknown>>;

/** What has no version says so; the standard wants one. */
const NO_VERSION = '0.0.0';

/** A provider's process as it is offered here, or null where it has no id. All else is repaired. */
export function summaryOf(provider: Provider, value: unknown): ProcessSummary | null {
  const members = objectOf(value);
  const { id, version, inputs: _, outputs: __, ...more } = members;
  if (typeof id !== 'string' || id === '') return null;
  const given = Array.isArray(members['jobControlOptions']) ? members['jobControlOptions'] : [];
  const options = given.filter((one): one is string => typeof one === 'string');
  return {
    ...withoutNulls(more),
    id: processIdOf({ provider: provider.name, process: id }),
    version: typeof version === 'string' && version !== '' ? version : NO_VERSION,
    // Every job is carried out apart from the request for it, whatever the provider can do.
    jobControlOptions: [...new Set([...options, 'async-execute', 'dismiss'])],
    outputTransmission: Array.isArray(more['outputTransmission'])
      ? (more['outputTransmission'] as string[])
      : ['value'],
    links: linksOf(provider, id, members['links']),
  };
}

/** The same with its inputs and outputs. */
export function descriptionOf(provider: Provider, value: unknown): ProcessDescription | null {
  const summary = summaryOf(provider, value);
  if (summary === null) return null;
  const { inputs, outputs } = objectOf(value);
  return { ...summary, inputs: membersOf(inputs), outputs: membersOf(outputs) };
}

/** Older servers list what others name. */
function membersOf(value: unknown): Record<string, ProcessMember> {
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((one: unknown) => [objectOf(one)['id'] as string, one])
    : Object.entries(objectOf(value));
  const named = entries.filter(([id]) => typeof id === 'string' && id !== '');
  return Object.fromEntries(
    named.map(([id, one]) => [id, { schema: {}, ...withoutNulls(objectOf(one)) }]),
  );
}

/** Links by what they are for: ours for what we do ourselves, theirs for what lies elsewhere. */
function linksOf(provider: Provider, process: string, value: unknown): Link[] {
  const theirs = readLinks(value);
  if (!provider.settings.rewriteRemoteLinks) return theirs;
  const id = encodeURIComponent(processIdOf({ provider: provider.name, process }));
  const type = 'application/json';
  const ours: Link[] = [
    { href: `/processes/${id}`, rel: REL.self, type },
    { href: `/processes/${id}/execution`, rel: REL.execute, type },
    { href: `/jobs?processID=${id}`, rel: REL.jobList, type },
  ];
  const { origin } = new URL(provider.url);
  const foreign = theirs.filter(
    (link) =>
      URL.canParse(link.href) &&
      new URL(link.href).origin !== origin &&
      !ours.some(({ rel }) => hasRel(link, rel!)),
  );
  return [...ours, ...foreign];
}

function objectOf(value: unknown): Members {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Members) : {};
}

function withoutNulls(members: Members): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
