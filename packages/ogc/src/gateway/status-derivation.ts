import { hasRel, REL } from '../model/vocabulary.ts';
import { readStatusInfo, type StatusInfo } from '../model/status-info.ts';
import { statusUrlsOf } from './locations.ts';
import type { Provider } from './provider.ts';
import { describeAnswer, isPage, jsonIn, type ProviderAnswer } from './provider-answer.ts';

/** What a provider's answer to an execution means. */
export interface Derivation {
  /** As the provider tells it, or as it was made up for it. */
  readonly status: StatusInfo;
  readonly statusUrls: readonly string[];
  /** Results that came at once, or null. */
  readonly results: ProviderAnswer | null;
  /** Why the answer could not be understood, or null; then the status is failed. */
  readonly fault: string | null;
}

/** An answer to be understood, and the means for it. */
export interface DerivationContext {
  readonly provider: Provider;
  readonly answer: ProviderAnswer;
  readonly askedUrl: string;
  /** Whether the execution asked for HTML: otherwise a page is that of a login or the like. */
  readonly isPageAsked: boolean;
  /** Keeps where the job is before anything else is asked, so that a crash does not lose it. */
  remember(statusUrls: readonly string[]): Promise<void>;
  /** Asks for a status; throws where there is no answer. */
  follow(url: string): Promise<ProviderAnswer>;
}

/** One way to understand an answer. */
export interface DerivationStrategy {
  readonly name: string;
  canHandle(context: DerivationContext): boolean;
  derive(context: DerivationContext): Derivation | Promise<Derivation>;
}

function notUnderstood(fault: string, statusUrls: readonly string[] = []): Derivation {
  const status: StatusInfo = { jobID: '', status: 'failed', type: 'process', message: fault };
  return { status, statusUrls, results: null, fault };
}

function locationIn({ answer }: DerivationContext): string | null {
  return answer.headers.get('location');
}

function objectIn(answer: ProviderAnswer): Record<string, unknown> | null {
  const json = jsonIn(answer);
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return isObject ? (json as Record<string, unknown>) : null;
}

function isMade({ status }: ProviderAnswer): boolean {
  return status === 201 || status === 202;
}

/** Members by which other versions and servers tell of a job. */
const OF_JOB: ReadonlySet<string> = new Set([
  'id',
  'status',
  'processID',
  'message',
  'created',
  'started',
  'finished',
  'updated',
  'progress',
  'links',
  'exception',
  'request',
]);

/**
 * An output may be called "status", and a result may have an id. What tells of a job names it as
 * the standard does, answers that it was made, or has nothing that a job has not.
 */
function isAboutJob(answer: ProviderAnswer): boolean {
  const members = objectIn(answer);
  if (members === null || typeof members['status'] !== 'string') return false;
  if (isMade(answer) || members['type'] === 'process') return true;
  const names = ['jobID', 'processingEntityType'];
  if (names.some((name) => typeof members[name] === 'string')) return true;
  const isPlain = Object.keys(members).every((name) => OF_JOB.has(name));
  return typeof members['id'] === 'string' && isPlain;
}

/** The status is in the body. */
export const direct: DerivationStrategy = {
  name: 'direct',
  canHandle: (context) => {
    if (!isAboutJob(context.answer)) return false;
    return locationIn(context) === null || readStatusInfo(jsonIn(context.answer)) !== null;
  },
  derive: ({ provider, answer, askedUrl }) => {
    const status = readStatusInfo(jsonIn(answer));
    const location = answer.headers.get('location');
    if (status === null) {
      const what = describeAnswer(answer);
      return notUnderstood(`the provider ${provider.name} told of a job without a status: ${what}`);
    }
    const linked = (status.links ?? []).find(
      (link) => hasRel(link, REL.monitor) || hasRel(link, REL.status) || hasRel(link, REL.self),
    );
    const given = location ?? linked?.href ?? null;
    const statusUrls = statusUrlsOf(provider, { location: given, askedUrl, jobId: status.jobID });
    return { status, statusUrls, results: null, fault: null };
  },
};

/** The results are in the body, or linked from the headers: nothing is left to wait for. */
export const immediate: DerivationStrategy = {
  name: 'immediate',
  canHandle: (context) => {
    const { answer } = context;
    if (answer.status < 200 || answer.status > 299 || answer.bodyFault !== null) return false;
    if (isMade(answer)) {
      return locationIn(context) === null && 'outputs' in (objectIn(answer) ?? {});
    }
    if (answer.status === 204) return locationIn(context) === null;
    if (answer.body.byteLength === 0) return answer.headers.has('link');
    if (isPage(answer) && !context.isPageAsked) return false;
    const isJson = /[/+]json$/.test(answer.mediaType);
    return !isJson || answer.long !== null || jsonIn(answer) !== undefined;
  },
  derive: ({ answer }) => ({
    status: { jobID: '', status: 'successful', type: 'process', progress: 100 },
    statusUrls: [],
    results: answer,
    fault: null,
  }),
};

/** A POST that is led elsewhere is answered there, to a GET. */
const SEE_OTHER: ReadonlySet<number> = new Set([301, 302, 303]);

/** Where a redirect leads that the provider is not allowed; null where it may be followed. */
function foreignTarget({ provider, answer, askedUrl }: DerivationContext): URL | null {
  const target = answer.headers.get('location') ?? '';
  // A 303 is how some tell where the job is, by a name that they have inside their network.
  if (![301, 302].includes(answer.status) || !URL.canParse(target, askedUrl)) return null;
  const url = new URL(target, askedUrl);
  const allowed = [new URL(provider.url).origin, ...provider.redirectOrigins];
  return allowed.includes(url.origin) ? null : url;
}

/** The answer only says where to look. */
export const location: DerivationStrategy = {
  name: 'location',
  canHandle: (context) => {
    const { status } = context.answer;
    return (status < 300 || SEE_OTHER.has(status)) && locationIn(context) !== null;
  },
  derive: async (context) => {
    const { provider, askedUrl } = context;
    const elsewhere = foreignTarget(context);
    if (elsewhere !== null) {
      const remedy = `to allow it, add "${elsewhere.origin}" to its redirect_origins`;
      return notUnderstood(
        `the provider ${provider.name} answered ${context.answer.status} and redirects to ` +
          `${elsewhere.origin}${elsewhere.pathname}, which is another origin; ${remedy}`,
      );
    }
    const statusUrls = statusUrlsOf(provider, {
      location: locationIn(context),
      askedUrl,
      jobId: '',
    });
    if (statusUrls.length === 0)
      return notUnderstood('the provider gave a Location that is not a URL');
    await context.remember(statusUrls);
    let last = '';
    for (const url of statusUrls) {
      try {
        const answer = await context.follow(url);
        const status = answer.status < 300 ? readStatusInfo(jsonIn(answer)) : null;
        if (status !== null) {
          const others = statusUrls.filter((one) => one !== url);
          return { status, statusUrls: [url, ...others], results: null, fault: null };
        }
        last = `it answered ${describeAnswer(answer)}`;
      } catch (error) {
        last = (error as Error).message;
      }
    }
    return notUnderstood(`the status was not where the provider said: ${last}`, statusUrls);
  },
};

/** Nothing that anybody knows. */
export const fallback: DerivationStrategy = {
  name: 'fallback',
  canHandle: () => true,
  derive: ({ provider, answer }) => {
    const what = describeAnswer(answer);
    return notUnderstood(`the provider ${provider.name} answered no status and no result: ${what}`);
  },
};

/** In the order in which they are asked. */
export const STRATEGIES: readonly DerivationStrategy[] = [direct, immediate, location, fallback];

/** The first strategy that can handle an answer says what it means. */
export async function deriveStatus(
  strategies: readonly DerivationStrategy[],
  context: DerivationContext,
): Promise<Derivation> {
  const chosen = strategies.find((one) => one.canHandle(context)) ?? fallback;
  return chosen.derive(context);
}
