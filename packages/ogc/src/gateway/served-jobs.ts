import { type Job, PawlError } from 'pawl/define';
import { type Artifacts, wholeResult } from 'pawl/plugin';
import { begin } from '../model/body-bytes.ts';
import type {
  AnsweredBody,
  OutputValue,
  ProcessCaller,
  ProcessResults,
} from '../model/process-source.ts';
import { isTerminal, type StatusInfo, statusInfoOf } from '../model/status-info.ts';
import type { ExecutionResult } from './conclude.ts';
import { GatewayFailure } from './failures.ts';
import { aboutBody, type KeptResults, linksIn } from './kept-results.ts';
import { currentUrls, resultsUrlsOf } from './locations.ts';
import { withBase } from './normalise.ts';
import { isGatewayType, providerOfType } from './process-id.ts';
import { fetchOutput, outputIn, withLinksHere } from './outputs.ts';
import type { Provider } from './provider.ts';
import { type ExecutionInput, type Following, remoteStateOf } from './remote-state.ts';
import { fetchResults, type GatewayDependencies, isPageAsked } from './turn.ts';

/** Whether what a provider still has can be read shows with its first bytes. */
const START_BYTES = 64 * 1024;

/** What clients are told of the gateway's jobs, from what is stored of them. */
export class ServedJobs {
  readonly #artifacts: Artifacts;
  readonly #deps: GatewayDependencies;

  constructor({ artifacts }: { readonly artifacts: Artifacts }, deps: GatewayDependencies) {
    this.#artifacts = artifacts;
    this.#deps = deps;
  }

  owns(type: string): boolean {
    return isGatewayType(type);
  }

  /** Once the provider has it and the turn that gave it over has ended well. */
  isTakenOn(job: Job): boolean {
    return remoteStateOf(job)?.step === 'following' && job.phase !== 'executing';
  }

  /** As our own row has it, with what only the provider knows. */
  status(job: Job, base: string): StatusInfo {
    const own = statusInfoOf(job, { base, processID: processIdOf(job) });
    const state = remoteStateOf(job);
    if (state?.step !== 'following') return own;
    const { started, message, links = [] } = state.status;
    const { settings } = this.#deps.provider(providerOfType(job.type) ?? '') ?? {};
    const isLive = !isTerminal(own.status);
    return {
      ...own,
      ...(started === undefined ? {} : { started }),
      ...(isLive && message !== undefined ? { message } : {}),
      ...(settings?.rewriteRemoteLinks === false
        ? { links: [...withBase(links, base), ...withoutSame(own.links ?? [], links)] }
        : {}),
    };
  }

  /** With links here to outputs that are had from the provider, unless its links are to stay. */
  async results(caller: ProcessCaller, job: Job, base: string): Promise<ProcessResults> {
    const given = await this.#results(caller, job);
    const found = this.#whereabouts(job);
    if (found === null || !found.provider.settings.rewriteRemoteLinks) return given;
    return withLinksHere(given, { ...found, at: `${base}/jobs/${job.id}/results` });
  }

  /** One that is given by reference is fetched for whoever may read the job. */
  async output(
    caller: ProcessCaller,
    job: Job,
    id: string,
  ): Promise<OutputValue | AnsweredBody | null> {
    const output = await outputIn(await this.#results(caller, job), id);
    if (output?.href === undefined) return output;
    const found = this.#whereabouts(job);
    if (found === null) throw notConfigured(job);
    return fetchOutput(this.#deps.http, found, output.href);
  }

  /** Null where the provider is not configured any more. */
  #whereabouts(job: Job): { provider: Provider; from: string } | null {
    const provider = this.#deps.provider(providerOfType(job.type) ?? '');
    if (provider === undefined) return null;
    const state = remoteStateOf(job);
    const [from] = state?.step === 'following' ? resultsUrlsIn(provider, state) : [];
    return { provider, from: from ?? `${provider.url}/` };
  }

  /** What was kept of them, or what the provider has of them now. */
  async #results({ tenant }: ProcessCaller, job: Job): Promise<ProcessResults> {
    if (job.result === null) {
      throw new PawlError('NO_RESULT', `the job ${job.id} has no results: it is ${job.state}`);
    }
    const whole = await wholeResult(this.#artifacts, job);
    const { results } = JSON.parse(whole) as ExecutionResult;
    return results === null ? this.#fetch(job) : this.#opened(tenant, results);
  }

  async #opened(tenant: string, kept: KeptResults): Promise<ProcessResults> {
    switch (kept.kind) {
      case 'references':
        return { kind: 'references', linkHeaders: kept.linkHeaders };
      case 'text': {
        const { text, ...about } = kept;
        return { ...about, kind: 'answer', body: Buffer.from(text) };
      }
      case 'artifact': {
        const { id, ...about } = kept;
        const found = await this.#artifacts.find({ tenant, id });
        const body = await this.#artifacts.open(found);
        return { ...about, kind: 'answer', body, size: found.size };
      }
    }
  }

  async #fetch(job: Job): Promise<ProcessResults> {
    const provider = this.#deps.provider(providerOfType(job.type) ?? '');
    const state = remoteStateOf(job);
    if (provider === undefined || state?.step !== 'following') throw notConfigured(job);
    const urls = resultsUrlsIn(provider, state);
    // An input that is kept elsewhere does not tell.
    const { request } = JSON.parse(job.input) as Partial<ExecutionInput>;
    const isPageFine = request === undefined || isPageAsked(request);
    try {
      const { http, clock } = this.#deps;
      const wanted = { urls, isPageFine, now: clock.now() };
      const { headers, body } = await fetchResults(http, provider, wanted);
      const { start, rest } = await begin(body, START_BYTES);
      if (start.byteLength === 0) return { kind: 'references', linkHeaders: linksIn(headers) };
      return { kind: 'answer', ...aboutBody(headers), body: rest ?? start };
    } catch (error) {
      const details =
        error instanceof GatewayFailure ? (error.details as Record<string, unknown>) : {};
      throw new PawlError('UPSTREAM_ERROR', (error as Error).message, { cause: error, details });
    }
  }
}

function notConfigured({ type }: Job): PawlError {
  const message = `the provider ${providerOfType(type) ?? ''} is not configured any more`;
  return new PawlError('UPSTREAM_ERROR', message);
}

function resultsUrlsIn(provider: Provider, state: Following): string[] {
  const statusUrls = currentUrls(provider, state);
  return resultsUrlsOf(provider, { href: state.resultsHref, statusUrls });
}

/** The type says it, except where the id could not be a type's name. */
function processIdOf({ type, metadata }: Job): string {
  const { processID } = (metadata === null ? {} : JSON.parse(metadata)) as { processID?: unknown };
  return typeof processID === 'string' ? processID : type.slice(type.indexOf('/') + 1);
}

function withoutSame<Link extends { readonly rel?: string }>(
  ours: readonly Link[],
  theirs: readonly { readonly rel?: string }[],
): Link[] {
  return ours.filter(({ rel }) => !theirs.some((link) => link.rel === rel));
}
