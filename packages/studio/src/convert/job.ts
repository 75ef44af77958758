import {
  defineFixedRetryJob,
  exactlyOne,
  fromTypebox,
  type JobDefinition,
  refined,
  typed,
} from 'pawl/define';
import type { SourceType } from '../deck/deck.ts';
import { guarded } from '../work/guard.ts';
import { Conversion, type KeptLosses } from './conversion.ts';
import type { SourcePreviews } from './source-previews-kept.ts';
import { checkInput, type ConvertInput, ConvertInputSchema } from './input.ts';

/** What a convert job leaves behind; references are ids of artifacts. */
export interface ConvertResult {
  readonly deckRef: string;
  readonly title: string;
  readonly slides: number;
  readonly sourceType: SourceType;
  /** The programs that read the source, and the one that drew the previews. */
  readonly readBy: string;
  readonly drawnBy: string;
  /** One image a slide. */
  readonly previews: readonly string[];
  /** The source as it is, drawn by another program; only where it was asked for. */
  readonly sourcePreviews?: SourcePreviews;
  /** What became of the elements of the source; the list is an artifact. */
  readonly losses: KeptLosses;
}

/** Converts a document to deck JSON and a preview of each slide. */
export const convert: JobDefinition<ConvertInput, ConvertResult> = defineFixedRetryJob('convert', {
  input: typed<ConvertInput>(),
  intake: refined(fromTypebox(ConvertInputSchema), (input) =>
    exactlyOne(input, ['assetRef', 'text']),
  ),
  // In a process of its own: decoders of images are machine code, and files come from anywhere.
  isolation: { kind: 'process', module: import.meta.url, export: 'convert', memoryMb: 512 },
  concurrency: 2,
  timeout: '2m',
  // Each slide is kept when it is done, so a long one goes on where its time was over.
  onTimeout: 'resume',
  maxAttempts: 3,
  backoff: { base: '2s', max: '30s', jitter: 'full' },
  retryable: ['transient_storage', 'network_timeout', 'ai_rate_limit'],
  limits: {
    activePerDocument: true,
    documentFrom: { artifact: 'assetRef', content: 'text' },
  },
  previews: ['previews/*'],
  slo: { p50: '6s', p95: '15s', p99: '30s', failureRateMax: 0.02 },
  stages: [
    { name: 'validating_input', min: 0, max: 5 },
    { name: 'fetching_source', min: 5, max: 15 },
    { name: 'extracting', min: 15, max: 55 },
    { name: 'normalizing', min: 55, max: 80 },
    { name: 'generating_preview', min: 80, max: 90 },
    { name: 'finalizing', min: 90, max: 100 },
  ],
  run: (context) =>
    guarded(context, async (): Promise<ConvertResult> => {
      const { stage } = context;
      const input = await stage('validating_input', () => checkInput(context.input));
      const conversion = new Conversion(context, input);
      try {
        const facts = await stage('fetching_source', () => conversion.fetch());
        const found = await stage('extracting', ({ progress }) => conversion.extract(progress));
        const deckRef = await stage('normalizing', () => conversion.normalise(found, facts));
        const previews = await stage('generating_preview', ({ progress }) =>
          conversion.preview(deckRef, progress),
        );
        return await stage('finalizing', async () => {
          const { title, slides } = await conversion.readBack(deckRef);
          const losses = await conversion.losses(found);
          const source = await conversion.sourcePreviews();
          const sourceType = facts.type;
          const { readBy } = found;
          return {
            deckRef,
            title,
            slides: slides.length,
            sourceType,
            readBy,
            drawnBy: 'pawl',
            previews,
            ...(source === undefined ? {} : { sourcePreviews: source }),
            losses,
          };
        });
      } finally {
        await conversion.close();
      }
    }),
});
