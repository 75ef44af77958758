import type { KeptArtifact } from '../../handler/artifact.ts';
import { defineJob, type JobDefinition } from '../../handler/define-job.ts';
import { exactlyOne, refined } from '../../handler/refined.ts';
import { trusted } from '../../handler/schema.ts';
import { fromTypebox } from '../../handler/typebox.ts';
import { task } from '../../lifecycles/task.ts';
import { guarded } from '../work/guard.ts';
import { Exporting } from './exporting.ts';
import { checkInput, type ExportInput, ExportInputSchema } from './input.ts';

/** What an export job leaves behind; `artifactRef` is the id of the file. */
export interface ExportResult extends Omit<KeptArtifact, 'id' | 'name'> {
  readonly artifactRef: string;
  readonly fileName: string;
  readonly slides: number;
}

/** Deck JSON → a .pptx or .pdf file. */
export const exportDeck: JobDefinition<ExportInput, ExportResult> = defineJob({
  type: 'export',
  lifecycle: task,
  input: trusted<ExportInput>(),
  intake: refined(fromTypebox(ExportInputSchema), (input) =>
    exactlyOne(input, ['deckRef', 'deck']),
  ),
  isolation: { kind: 'process', module: import.meta.url, export: 'exportDeck', memoryMb: 512 },
  concurrency: 2,
  timeoutMs: 120_000,
  retry: {
    maxAttempts: 3,
    backoff: { kind: 'exponential', baseMs: 2_000, maxMs: 30_000, jitter: 'full' },
  },
  retryable: ['transient_storage', 'network_timeout'],
  limits: { runningPerKey: { max: 2, key: 'documentId' } },
  slo: { p50Ms: 4_000, p95Ms: 12_000, p99Ms: 25_000, failureRateMax: 0.02 },
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
        const { id: artifactRef, name: fileName, contentType, size, sha256 } = kept;
        return { artifactRef, fileName, contentType, size, sha256, slides };
      });
    }),
});
