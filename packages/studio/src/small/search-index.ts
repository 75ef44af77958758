import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import {
  defineJob,
  distributed,
  exactlyOne,
  fromTypebox,
  type JobDefinition,
  refined,
  type RunContext,
  ValidationError,
} from 'pawl/define';
import { type Passage, readingOfDeck, readingOfText } from '../reading/passage.ts';
import { rank, statisticsOf } from '../reading/ranking.ts';
import { readArtifact, readDeck } from '../reading/read-deck.ts';
import { readSourceArtifact } from '../reading/read-source.ts';
import { artifactId } from '../reading/reference.ts';
import { termsOf } from '../reading/words.ts';

// A full-text index over documents, kept as an artifact; and questions to one. Try:
// pawl enqueue index -i '{"documents":[{"id":"a","text":"Ships need cranes."}],"query":"crane"}'

const DocumentSchema = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 256, description: 'Yours, by which hits name it.' }),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 262_144 })),
    deckRef: Type.Optional(artifactId('The deck of a convert job.')),
    assetRef: Type.Optional(artifactId('A file of a kind that can be converted.')),
  },
  { additionalProperties: false },
);

const IndexInputSchema = Type.Object(
  {
    documents: Type.Optional(Type.Array(DocumentSchema, { minItems: 1, maxItems: 1_000 })),
    indexRef: Type.Optional(artifactId('An index of before: to be asked, or added to.')),
    query: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  },
  { additionalProperties: false },
);

const HitSchema = Type.Object({
  document: Type.String(),
  place: Type.String(),
  heading: Type.String(),
  snippet: Type.String({ description: 'The words that were found are between « and ».' }),
  score: Type.Number(),
});

const IndexResultSchema = Type.Object({
  indexRef: Type.String(),
  documents: Type.Integer(),
  passages: Type.Integer(),
  hits: Type.Array(HitSchema),
});

/** The index as it is kept. */
const StoredSchema = Type.Object({
  format: Type.Literal('pawl-index'),
  version: Type.Literal(1),
  passages: Type.Array(
    Type.Object({
      document: Type.String(),
      place: Type.String(),
      heading: Type.String(),
      text: Type.String(),
    }),
  ),
  /** Which words are where, so that a question need not read every text again. */
  lengths: Type.Array(Type.Number()),
  postings: Type.Record(
    Type.String(),
    Type.Array(Type.Tuple([Type.Integer({ minimum: 0 }), Type.Integer({ minimum: 1 })])),
  ),
});

export type IndexInput = Static<typeof IndexInputSchema>;
export type IndexResult = Static<typeof IndexResultSchema>;
type Stored = Static<typeof StoredSchema>;
type Context = Pick<RunContext<IndexInput>, 'input' | 'openArtifact'>;

const stored = Compile(StoredSchema);

const INDEX_BYTES_MAX = 64 * 1024 ** 2;
const LIMIT = 10;
const SNIPPET_LENGTH = 240;

/**
 * Builds a search index from documents, or queries one, in a separate process because files are
 * untrusted.
 */
export const indexJob: JobDefinition<IndexInput, IndexResult> = defineJob('index', {
  lifecycle: distributed,
  input: refined(fromTypebox(IndexInputSchema), ({ documents = [], indexRef, query }) => [
    ...documents.flatMap((document, index) =>
      exactlyOne(document, ['text', 'deckRef', 'assetRef']).map(({ message }) => ({
        pointer: `/documents/${index}`,
        message,
      })),
    ),
    ...(documents.length === 0 && (indexRef === undefined || query === undefined)
      ? [{ pointer: '', message: 'give `documents`, or an `indexRef` with a `query`' }]
      : []),
  ]),
  result: fromTypebox(IndexResultSchema),
  isolation: { kind: 'process', module: import.meta.url, export: 'indexJob', memoryMb: 512 },
  concurrency: 2,
  timeout: '5m',
  stages: [
    { name: 'indexing', min: 0, max: 90 },
    { name: 'searching', min: 90, max: 100 },
  ],
  run: async ({ input, stage, artifact, openArtifact, signal }): Promise<IndexResult> => {
    const { documents = [], query, limit = LIMIT } = input;
    const context = { input, openArtifact };
    let index: Stored | null = null;
    const indexRef = await stage('indexing', async ({ progress }) => {
      index = await build(context, (done, message) => {
        signal.throwIfAborted();
        progress(done, message);
      });
      if (documents.length === 0) return input.indexRef!;
      const json = JSON.stringify(index);
      return (await artifact('index.json', json, { contentType: 'application/json' })).id;
    });
    return stage('searching', async () => {
      const found = index ?? (await readIndex(context, indexRef));
      const { passages } = found;
      const hits = query === undefined ? [] : search(found, query).slice(0, limit);
      const count = new Set(passages.map(({ document }) => document)).size;
      return { indexRef, documents: count, passages: passages.length, hits };
    });
  },
});

/** What was there but for documents that come anew, and those. */
async function build(
  context: Context,
  report: (done: number, message: string) => void,
): Promise<Stored> {
  const { documents = [], indexRef } = context.input;
  const renewed = new Set(documents.map(({ id }) => id));
  const before = indexRef === undefined ? [] : (await readIndex(context, indexRef)).passages;
  const passages = before.filter(({ document }) => !renewed.has(document));
  for (const [at, document] of documents.entries()) {
    for (const passage of await passagesOf(context, document)) {
      passages.push({ document: document.id, ...passage });
    }
    report((at + 1) / documents.length, `document ${at + 1} of ${documents.length}`);
  }
  const statistics = statisticsOf(passages.map(({ heading, text }) => `${heading}\n${text}`));
  return {
    format: 'pawl-index',
    version: 1,
    passages,
    ...(statistics as Pick<Stored, 'lengths' | 'postings'>),
  };
}

async function passagesOf(
  context: Context,
  { text, deckRef, assetRef }: Static<typeof DocumentSchema>,
): Promise<readonly Passage[]> {
  if (text !== undefined) return readingOfText(text).passages;
  if (deckRef !== undefined) return readingOfDeck(await readDeck(context, deckRef)).passages;
  const { title, slides } = await readSourceArtifact(context, assetRef!);
  return readingOfDeck({ title, slides: [...slides] }).passages;
}

async function readIndex(context: Context, indexRef: string): Promise<Stored> {
  const { bytes } = await readArtifact(context, indexRef, INDEX_BYTES_MAX);
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (stored.Check(value) && isSound(value)) return value;
  } catch {
    // No JSON is no index either.
  }
  const message = `the artifact ${indexRef} is not an index: pass the indexRef of an index job`;
  throw new ValidationError(message, { code: 'INDEX_INVALID' });
}

/** Every word is in a text that is there. */
function isSound({ passages, lengths, postings }: Stored): boolean {
  const isThere = ([text]: readonly [number, number]): boolean => text < passages.length;
  return (
    lengths.length === passages.length &&
    Object.values(postings).every((list) => list.every(isThere))
  );
}

function search(index: Stored, query: string): IndexResult['hits'] {
  const { passages } = index;
  const wanted = new Set(termsOf(query));
  return rank(index, query).map(({ text: at, score }) => {
    const { document, place, heading, text } = passages[at]!;
    const rounded = Math.round(score * 1_000) / 1_000;
    return { document, place, heading, snippet: snippetOf(text, wanted), score: rounded };
  });
}

/** The part of a text around the first word that was found. */
function snippetOf(text: string, wanted: ReadonlySet<string>): string {
  const isWanted = (word: string): boolean => termsOf(word).some((term) => wanted.has(term));
  const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)];
  const first = words.find(([word]) => isWanted(word))?.index ?? 0;
  const from = Math.max(0, first - SNIPPET_LENGTH / 3);
  const to = Math.min(text.length, from + SNIPPET_LENGTH);
  const part = text
    .slice(from, to)
    .replaceAll(/[\p{L}\p{N}]+/gu, (word) => (isWanted(word) ? `«${word}»` : word));
  return `${from > 0 ? '…' : ''}${part.replaceAll(/\s+/g, ' ')}${to < text.length ? '…' : ''}`;
}
