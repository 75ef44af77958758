import { type Static, Type } from 'typebox';
import {
  defineJob,
  document as documentLifecycle,
  exactlyOne,
  fail,
  fromTypebox,
  isJobFailure,
  type JobDefinition,
  type JobFailure,
  refined,
} from 'pawl/define';
import type { Block, Slide } from '../deck/deck.ts';
import { plainText } from '../deck/text.ts';
import { slideText } from '../reading/passage.ts';
import { readSource, readSourceArtifact, type ReadSource } from '../reading/read-source.ts';
import { artifactId } from '../reading/reference.ts';
import { countWords } from '../reading/words.ts';

// What is in a file: its text, and its structure as JSON. Try: upload a .pptx, .pdf, .docx, .md,
// .html or .txt to POST /v1/artifacts, then: pawl enqueue document -i '{"assetRef":"<its id>"}'

const DocumentInputSchema = Type.Object(
  {
    assetRef: Type.Optional(artifactId('The file, as its upload answered.')),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 262_144 })),
    sourceType: Type.Optional(Type.Enum(['md', 'html', 'txt'], { description: 'Of `text`; md.' })),
  },
  { additionalProperties: false },
);

const DocumentResultSchema = Type.Object({
  title: Type.String(),
  sourceType: Type.String(),
  pages: Type.Integer(),
  words: Type.Integer(),
  headings: Type.Array(Type.Object({ page: Type.Integer(), text: Type.String() })),
  textRef: Type.String({ description: 'The artifact with the text.' }),
  structureRef: Type.String({ description: 'The artifact with pages, paragraphs and tables.' }),
});

export type DocumentInput = Static<typeof DocumentInputSchema>;
export type DocumentResult = Static<typeof DocumentResultSchema>;

const HEADINGS_MAX = 500;

/** The classes of the document lifecycle for those that readers and stores speak of. */
const CLASSES: Readonly<Record<string, string>> = {
  validation_error: 'job_validation',
  unsupported_format: 'invalid_document',
  corruption_detected: 'invalid_document',
  quota_exceeded: 'resource_limit_exceeded',
  transient_storage: 'transient_system_error',
  network_timeout: 'timeout',
};

/** Reads the text and structure of a file, in a separate process because files are untrusted. */
export const documentJob: JobDefinition<DocumentInput, DocumentResult> = defineJob('document', {
  lifecycle: documentLifecycle,
  input: refined(fromTypebox(DocumentInputSchema), (input) =>
    exactlyOne(input, ['assetRef', 'text']),
  ),
  result: fromTypebox(DocumentResultSchema),
  isolation: { kind: 'process', module: import.meta.url, export: 'documentJob', memoryMb: 512 },
  concurrency: 2,
  timeout: '2m',
  stages: [
    { name: 'reading', min: 0, max: 80 },
    { name: 'storing', min: 80, max: 100 },
  ],
  run: async ({ input, stage, artifact, openArtifact }): Promise<DocumentResult> => {
    const read = (report?: (done: number, message: string) => void): Promise<ReadSource> =>
      input.text === undefined
        ? readSourceArtifact({ openArtifact }, input.assetRef!, report)
        : readSource(Buffer.from(input.text), { sourceType: input.sourceType ?? 'md' }, report);
    try {
      let source: ReadSource | null = null;
      await stage('reading', async ({ progress }) => {
        source = await read(progress);
        return source.slides.length;
      });
      return await stage('storing', async () => {
        const { title, type, slides } = source ?? (await read());
        const text = slides.map(pageText).join('\n\n');
        const structure = JSON.stringify({ title, sourceType: type, pages: slides.map(pageOf) });
        const keptText = await artifact('text.txt', text);
        const keptStructure = await artifact('structure.json', structure, {
          contentType: 'application/json',
        });
        return {
          title,
          sourceType: type,
          pages: slides.length,
          words: countWords(text),
          headings: headingsOf(slides),
          textRef: keptText.id,
          structureRef: keptStructure.id,
        };
      });
    } catch (error) {
      throw inWordsOfTheLifecycle(error);
    }
  },
});

function inWordsOfTheLifecycle(error: unknown): unknown {
  const known = isJobFailure(error) ? CLASSES[error.class] : undefined;
  if (known === undefined) return error;
  const { message, code } = error as JobFailure;
  return fail(known, message, { cause: error, ...(code === null ? {} : { code }) });
}

function pageText(slide: Slide): string {
  const title = plainText(slide.title ?? []);
  return [title, slideText(slide)].filter((part) => part !== '').join('\n');
}

function headingsOf(slides: readonly Slide[]): DocumentResult['headings'] {
  return slides
    .map(({ title }, index) => ({ page: index + 1, text: plainText(title ?? []) }))
    .filter(({ text }) => text !== '')
    .slice(0, HEADINGS_MAX);
}

function pageOf(slide: Slide, index: number): object {
  const { title, subtitle, blocks, notes } = slide;
  return {
    page: index + 1,
    title: plainText(title ?? []),
    ...(subtitle === undefined ? {} : { subtitle: plainText(subtitle) }),
    blocks: blocks.filter(isSaid).map(partOf),
    ...(notes === undefined ? {} : { notes: notes.map(({ runs }) => plainText(runs)) }),
  };
}

/** Lines, shapes without words, and what every page has, say nothing. */
function isSaid(block: Block): boolean {
  if (block.role !== undefined || block.kind === 'connector') return false;
  return block.kind !== 'shape' || (block.paragraphs ?? []).length > 0;
}

function partOf(block: Block): object {
  switch (block.kind) {
    case 'connector':
      return { kind: 'connector' };
    case 'text':
    case 'shape':
      return {
        kind: 'text',
        paragraphs: (block.paragraphs ?? []).map(({ level, list, runs }) => ({
          level,
          ...(list === undefined ? {} : { list }),
          text: plainText(runs),
        })),
      };
    case 'table':
      return {
        kind: 'table',
        header: block.header,
        rows: block.rows.map((row) => row.map(({ runs }) => plainText(runs))),
      };
    case 'image':
      return { kind: 'image', alt: block.alt ?? '' };
    case 'chart': {
      const { chart, title = '', categories, series } = block;
      return { kind: 'chart', chart, title, categories, series };
    }
  }
}
