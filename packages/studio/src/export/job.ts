import {
  defineFixedRetryJob,
  exactlyOne,
  fromTypebox,
  type JobDefinition,
  type KeptArtifact,
  refined,
  typed,
} from 'pawl/define';
import type { LossSummary } from '../deck/losses.ts';
import { guarded } from '../work/guard.ts';
import { Exporting } from './exporting.ts';
import { checkInput, type ExportInput, ExportInputSchema } from './input.ts';

/** What an export job leaves behind; `artifactRef` is the id of the file. */
export interface ExportResult extends Omit<KeptArtifact, 'id' | 'name'> {
  readonly artifactRef: string;
  readonly fileName: string;
  readonly slides: number;
  /** What became of the elements of the deck; the list is an artifact. */
  readonly losses: LossSummary & { readonly lossesRef: string };
}

/** Exports deck JSON to a .pptx or .pdf file. */
export const exportDeck: JobDefinition<ExportInput, ExportResult> = defineFixedRetryJob('export', {
  input: typed<ExportInput>(),
  intake: refined(fromTypebox(ExportInputSchema), (input) =>
    exactlyOne(input, ['deckRef', 'deck']),
  ),
  isolation: { kind: 'process', module: import.meta.url, export: 'exportDeck', memoryMb: 512 },
  concurrency: 2,
  timeout: '2m',
  maxAttempts: 3,
  backoff: { base: '2s', max: '30s', jitter: 'full' },
  retryable: ['transient_storage', 'network_timeout'],
  limits: { runningPerKey: { max: 2, key: 'documentId' } },
  slo: { p50: '4s', p95: '12s', p99: '25s', failureRateMax: 0.02 },
  stages: [
    { name: 'preparing', min: 0, max: 10 },
    { name: 'rendering_slides', min: 10, max: 70 },
    { name: 'packaging', min: 70, max: 90 },
    { name: 'uploading_artifact', min: 90, max: 98 },
    { name: 'finalizing', min: 98, max: 100 },
  ],
  run: (context) =>
    guarded(context, async (): Promise<ExportResult> => {
      const { stage } = context;
      const input = checkInput(context.input);
      const exporting = new Exporting(context, input);
      await stage('preparing', async () => (await exporting.prepare()).slides.length);
      const slides = await stage('rendering_slides', ({ progress }) => exporting.render(progress));
      await stage('packaging', () => exporting.pack());
      const kept = await stage('uploading_artifact', () => exporting.upload());
      return stage('finalizing', async () => {
        await exporting.verify(kept);
        const losses = await exporting.losses();
        const { id: artifactRef, name: fileName, contentType, size, sha256 } = kept;
        return { artifactRef, fileName, contentType, size, sha256, slides, losses };
      });
    }),
});
