import { type Clock, type Instant, PawlError, type Timers } from 'pawl/define';
import type { EngineLog } from 'pawl/plugin';
import { readLinks } from '../model/link.ts';
import type { ProcessDescription, ProcessSummary } from '../model/process-description.ts';
import { hasRel } from '../model/vocabulary.ts';
import { offers, type Provider } from './provider.ts';
import { retryAfterIn } from './failures.ts';
import { describeAnswer, jsonIn, type ProviderAnswer } from './provider-answer.ts';
import { askProvider, type HttpClient } from './provider-client.ts';
import { descriptionOf, summaryOf } from './remote-description.ts';
import { statusUrlsOf } from './locations.ts';

export interface CatalogueOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: EngineLog;
  /** How long a list waits for a provider of which nothing is known yet. */
  readonly waitMs?: number;
}

interface Known<Value> {
  readonly value: Value;
  readonly at: Instant;
}

interface CatalogueEntry {
  list: Known<readonly ProcessSummary[]> | null;
  refreshing: Promise<void> | null;
  failedAt: Instant | null;
  /** Until when it asked to be left alone. */
  askedUntil: Instant;
  readonly descriptions: Map<string, Known<ProcessDescription | null>>;
  readonly describing: Map<string, Promise<ProcessDescription | null>>;
}

const WAIT_MS = 2_000;
/** A provider that has just failed is left alone for this long. */
const FAILED_MS = 15_000;
const PAGES_MAX = 100;
const LIMIT = 1_000;
const DESCRIPTIONS_MAX = 1_000;

/**
 * What providers offer, remembered for a while. A list that is old is shown while it is made new;
 * a provider that does not answer is left out, and nobody waits for it twice in a row.
 */
export class Catalogue {
  readonly #options: CatalogueOptions;
  /** By provider as configured: a change of the file forgets what was known. */
  readonly #entries: WeakMap<Provider, CatalogueEntry> = new WeakMap();

  constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  async list(providers: readonly Provider[]): Promise<ProcessSummary[]> {
    const lists = await Promise.all(providers.map((provider) => this.#listOf(provider)));
    return lists.flat();
  }

  /** Until when a provider that has just failed is left alone; null: it would be asked now. */
  leftAloneUntil(provider: Provider): Instant | null {
    const { failedAt, askedUntil } = this.#entryOf(provider);
    const until = Math.max(askedUntil, failedAt === null ? 0 : failedAt + FAILED_MS);
    return until > this.#options.clock.now() ? until : null;
  }

  async describe(provider: Provider, process: string): Promise<ProcessDescription | null> {
    if (!offers(provider, process)) return null;
    const { descriptions } = this.#entryOf(provider);
    const known = descriptions.get(process);
    if (known !== undefined && this.#isFresh(provider, known)) return known.value;
    try {
      this.#refuseWhileLeftAlone(provider);
      return await this.#renewDescription(provider, process);
    } catch (error) {
      if (known !== undefined) return known.value;
      throw upstreamErrorOf(error);
    }
  }

  #refuseWhileLeftAlone(provider: Provider): void {
    const { askedUntil } = this.#entryOf(provider);
    const retryAfterMs = askedUntil - this.#options.clock.now();
    if (retryAfterMs <= 0) return;
    const seconds = Math.ceil(retryAfterMs / 1_000);
    const message = `the provider ${provider.name} asked for no requests for ${seconds} s more`;
    throw new PawlError('UPSTREAM_ERROR', message, { details: { retryAfterMs } });
  }

  /** As a request for time, where there is one, tells it to all who ask later. */
  #refused(provider: Provider, answer: ProviderAnswer, what: string): PawlError {
    const { clock } = this.#options;
    const retryAfterMs = retryAfterIn(answer, clock.now());
    if (retryAfterMs !== null) this.#entryOf(provider).askedUntil = clock.now() + retryAfterMs;
    const details = retryAfterMs === null ? {} : { retryAfterMs };
    const message = `${what}: it answered ${describeAnswer(answer)}`;
    return new PawlError('UPSTREAM_ERROR', message, { details });
  }

  /** Callers at once share one look. */
  #renewDescription(provider: Provider, process: string): Promise<ProcessDescription | null> {
    const { descriptions, describing } = this.#entryOf(provider);
    const begun = describing.get(process);
    if (begun !== undefined) return begun;
    const asking = this.#fetchDescription(provider, process)
      .then((value) => {
        if (descriptions.size >= DESCRIPTIONS_MAX) descriptions.clear();
        descriptions.set(process, { value, at: this.#options.clock.now() });
        return value;
      })
      .finally(() => describing.delete(process));
    describing.set(process, asking);
    return asking;
  }

  async #fetchDescription(provider: Provider, process: string): Promise<ProcessDescription | null> {
    const id = encodeURIComponent(process).replaceAll('%3A', ':');
    const answer = await askProvider(this.#options.http, provider, {
      url: `${provider.url}/processes/${id}`,
    });
    if (answer.status === 404) return null;
    const description = answer.status < 300 ? descriptionOf(provider, jsonIn(answer)) : null;
    if (description !== null) return description;
    const what = `the provider ${provider.name} did not describe the process ${process}`;
    throw this.#refused(provider, answer, what);
  }

  async #listOf(provider: Provider): Promise<readonly ProcessSummary[]> {
    const entry = this.#entryOf(provider);
    if (entry.list !== null && this.#isFresh(provider, entry.list)) return entry.list.value;
    const refreshing = this.#refresh(provider, entry);
    if (entry.list === null && refreshing !== null) {
      const { timers, waitMs = WAIT_MS } = this.#options;
      const waited = new AbortController();
      await Promise.race([refreshing, timers.sleep(waitMs, waited.signal)]);
      waited.abort();
    }
    return entry.list?.value ?? [];
  }

  /** Callers at once share one look; null where the provider is left alone. */
  #refresh(provider: Provider, entry: CatalogueEntry): Promise<void> | null {
    if (entry.refreshing !== null) return entry.refreshing;
    if (this.leftAloneUntil(provider) !== null) return null;
    entry.refreshing = this.#fill(provider, entry).finally(() => (entry.refreshing = null));
    return entry.refreshing;
  }

  async #fill(provider: Provider, entry: CatalogueEntry): Promise<void> {
    const { clock, log } = this.#options;
    try {
      entry.list = { value: await this.#fetchList(provider), at: clock.now() };
      entry.failedAt = null;
    } catch (error) {
      entry.failedAt = clock.now();
      const facts = { provider: provider.name, error: (error as Error).message };
      log.warn('the processes of a provider could not be listed', facts);
    }
  }

  async #fetchList(provider: Provider): Promise<ProcessSummary[]> {
    const found: ProcessSummary[] = [];
    const asked = new Set<string>();
    // Some cut their list without a link to the rest, unless they are asked for more at once.
    let url: string | undefined = `${provider.url}/processes?limit=${LIMIT}`;
    while (url !== undefined && asked.size < PAGES_MAX) {
      asked.add(url);
      const answer = await askProvider(this.#options.http, provider, { url });
      if (answer.status === 400 && asked.size === 1) {
        url = `${provider.url}/processes`;
        continue;
      }
      const { processes, links } = (jsonIn(answer) ?? {}) as Record<string, unknown>;
      if (answer.status >= 300 || !Array.isArray(processes)) {
        throw this.#refused(provider, answer, 'its list');
      }
      for (const one of processes as unknown[]) {
        const { id } = (one ?? {}) as { id?: unknown };
        const isOffered = typeof id === 'string' && offers(provider, id);
        const summary = isOffered ? summaryOf(provider, one) : null;
        if (summary !== null) found.push(summary);
      }
      const next = readLinks(links).find((link) => hasRel(link, 'next'))?.href;
      const onward: string | undefined =
        next && statusUrlsOf(provider, { location: next, askedUrl: url, jobId: '' })[0];
      url = onward === undefined || asked.has(onward) ? undefined : onward;
    }
    return found;
  }

  #isFresh({ settings }: Provider, { at }: Known<unknown>): boolean {
    return this.#options.clock.now() - at < settings.processesCacheMs;
  }

  #entryOf(provider: Provider): CatalogueEntry {
    const known = this.#entries.get(provider);
    if (known !== undefined) return known;
    const entry: CatalogueEntry = {
      list: null,
      refreshing: null,
      failedAt: null,
      askedUntil: 0,
      descriptions: new Map(),
      describing: new Map(),
    };
    this.#entries.set(provider, entry);
    return entry;
  }
}

function upstreamErrorOf(error: unknown): PawlError {
  if (error instanceof PawlError) return error;
  return new PawlError('UPSTREAM_ERROR', (error as Error).message, { cause: error });
}
