import { type Static, Type } from 'typebox';
import {
  defineJob,
  distributed,
  exactlyOne,
  fail,
  fromTypebox,
  isJobFailure,
  type JobDefinition,
  type JobFailure,
  type Outgoing,
  OutgoingError,
  refined,
  type RunContext,
} from 'pawl/define';
import { answer, summary } from '../reading/extract.ts';
import { type Reading, readingOfDeck, readingOfText } from '../reading/passage.ts';
import { readDeck } from '../reading/read-deck.ts';
import { readSource } from '../reading/read-source.ts';
import { artifactId } from '../reading/reference.ts';

// Reads the sources it is given and says what they say, with the place of every sentence. Try:
// pawl enqueue research -i '{"question":"What is it?","sources":[{"url":"https://sqlite.org"}]}'

const SourceSchema = Type.Object(
  {
    url: Type.Optional(Type.String({ minLength: 8, maxLength: 2_048, pattern: '^https?://' })),
    deckRef: Type.Optional(artifactId('The deck of a convert job.')),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 262_144 })),
    title: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { additionalProperties: false },
);

const ResearchInputSchema = Type.Object(
  {
    question: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
    sources: Type.Array(SourceSchema, { minItems: 1, maxItems: 20 }),
  },
  { additionalProperties: false },
);

const ResearchResultSchema = Type.Object({
  findings: Type.String({ description: 'Sentences of the sources, each with its number.' }),
  citations: Type.Array(
    Type.Object({ source: Type.Integer(), place: Type.String(), text: Type.String() }),
  ),
  sources: Type.Array(
    Type.Object({
      number: Type.Integer(),
      title: Type.String(),
      passages: Type.Integer(),
      error: Type.Optional(Type.String({ description: 'Why it could not be read.' })),
    }),
  ),
});

export type ResearchInput = Static<typeof ResearchInputSchema>;
export type ResearchResult = Static<typeof ResearchResultSchema>;
type Source = ResearchInput['sources'][number];
type Context = Pick<RunContext<ResearchInput>, 'openArtifact' | 'signal'>;

export interface ResearchDependencies {
  /** Guarded: sources are named by whoever may enqueue. */
  readonly outgoing: Pick<Outgoing, 'fetch'>;
}

/** A source that was gathered; kept, so that a later attempt does not ask for it again. */
type Gathered = Reading & { readonly error?: string };

const SOURCE_BYTES_MAX = 2 * 1024 ** 2;
const REDIRECTS_MAX = 3;
/** So much of a source is looked at: what was gathered is kept with the job. */
const PASSAGES_MAX = 200;
const PASSAGE_LENGTH_MAX = 2_000;

/** Sources → what they say about a question, or in short. */
export function researchJob(
  deps: ResearchDependencies,
): JobDefinition<ResearchInput, ResearchResult> {
  return defineJob('research', {
    lifecycle: distributed,
    input: refined(fromTypebox(ResearchInputSchema), ({ sources }) =>
      sources.flatMap((source, index) =>
        exactlyOne(source, ['url', 'deckRef', 'text']).map(({ message }) => ({
          pointer: `/sources/${index}`,
          message,
        })),
      ),
    ),
    result: fromTypebox(ResearchResultSchema),
    timeout: '10m',
    stages: [
      { name: 'gathering', min: 0, max: 80 },
      { name: 'summarising', min: 80, max: 100 },
    ],
    run: async (context): Promise<ResearchResult> => {
      const { input, stage, once, signal } = context;
      const gathered: Gathered[] = [];
      const gather = async (progress: (done: number, message: string) => void) => {
        for (const [at, source] of input.sources.entries()) {
          signal.throwIfAborted();
          gathered.push(await once(`source:${at}`, () => readOrSayWhy(deps, context, source)));
          progress((at + 1) / input.sources.length, `source ${at + 1} of ${input.sources.length}`);
        }
        return gathered.length;
      };
      await stage('gathering', ({ progress }) => gather(progress));
      return stage('summarising', async () => {
        if (gathered.length === 0) await gather(() => undefined);
        return tell(gathered, input.question);
      });
    },
  });
}

/** One source that cannot be read for good spoils no other; what may go better later is retried. */
async function readOrSayWhy(
  deps: ResearchDependencies,
  context: Context,
  source: Source,
): Promise<Gathered> {
  try {
    const { title, passages } = await readingOf(deps, context, source);
    const kept = passages.slice(0, PASSAGES_MAX).map((passage) => ({
      ...passage,
      text: passage.text.slice(0, PASSAGE_LENGTH_MAX),
    }));
    return { title: source.title ?? title, passages: kept };
  } catch (error) {
    if (!isJobFailure(error) || RETRIED.has(error.class)) throw error;
    return { title: source.title ?? source.url ?? '', passages: [], error: error.message };
  }
}

const RETRIED: ReadonlySet<string> = new Set([
  'network_timeout',
  'dependency_unavailable',
  'transient_storage',
]);

async function readingOf(
  deps: ResearchDependencies,
  context: Context,
  { url, deckRef, text }: Source,
): Promise<Reading> {
  if (text !== undefined) return readingOfText(text);
  if (deckRef !== undefined) return readingOfDeck(await readDeck(context, deckRef));
  const { bytes, contentType } = await fetchPage(deps, url!, context.signal);
  const sourceType = KINDS[contentType];
  if (sourceType === undefined) {
    const kind = contentType || 'of no named type';
    const message = `${url} is ${kind}: upload it and convert it first`;
    throw fail('unsupported_format', message, { code: 'RESEARCH_UNSUPPORTED' });
  }
  const { title, slides } = await readSource(bytes, { sourceType });
  return readingOfDeck({ title, slides: [...slides] });
}

/** Only what can be read in this process without much ado. */
const KINDS: Readonly<Record<string, 'html' | 'md' | 'txt'>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
};

async function fetchPage(
  { outgoing }: ResearchDependencies,
  address: string,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; contentType: string }> {
  try {
    let url = address;
    for (let turn = 0; turn <= REDIRECTS_MAX; turn++) {
      const options = { responseBytesMax: SOURCE_BYTES_MAX, signal };
      const response = await outgoing.fetch(url, options);
      const location = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && location !== null) {
        response.discard();
        // Every hop is checked like the first.
        url = new URL(location, url).href;
        continue;
      }
      if (!response.ok) {
        response.discard();
        throw failureOfStatus(address, response.status);
      }
      const [contentType = ''] = (response.headers.get('content-type') ?? '').split(';');
      return { bytes: await response.bytes(), contentType: contentType.trim().toLowerCase() };
    }
    throw fail('PermanentError', `${address} leads from one address to the next for ever`);
  } catch (error) {
    throw error instanceof OutgoingError ? failureOfNetwork(address, error) : error;
  }
}

function failureOfStatus(address: string, status: number): JobFailure {
  const isBusy = status === 429 || status >= 500;
  const errorClass = isBusy ? 'dependency_unavailable' : 'PermanentError';
  return fail(errorClass, `${address} answered ${status}`, { code: 'RESEARCH_REFUSED' });
}

function failureOfNetwork(address: string, error: OutgoingError): JobFailure {
  const classes = {
    timeout: 'network_timeout',
    network: 'dependency_unavailable',
    refused: 'PermanentError',
    too_large: 'resource_limit_exceeded',
  } as const;
  const more = { code: 'RESEARCH_UNREACHABLE', cause: error };
  return fail(classes[error.code], `${address}: ${error.message}`, more);
}

function tell(gathered: readonly Gathered[], question: string | undefined): ResearchResult {
  const passages = gathered.flatMap((source, at) =>
    source.passages.map((passage) => ({ ...passage, place: `${at + 1}, ${passage.place}` })),
  );
  const reading = { title: '', passages };
  const { text, quotes } = question === undefined ? summary(reading, 8) : answer(reading, question);
  return {
    findings: text === '' ? 'The sources have nothing about this.' : text,
    citations: quotes.map((quote) => {
      const [number = '0', ...place] = quote.place.split(', ');
      return { source: Number(number), place: place.join(', '), text: quote.text };
    }),
    sources: gathered.map(({ title, passages: found, error }, at) => ({
      number: at + 1,
      title,
      passages: found.length,
      ...(error === undefined ? {} : { error }),
    })),
  };
}
