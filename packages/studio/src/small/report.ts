import { type Static, Type } from 'typebox';
import { defineJob, fromTypebox, type JobDefinition, platform } from 'pawl/define';
import { renderReport } from './report-pdf.ts';

// A PDF from data: headings, paragraphs, tables and bars. Try: pawl enqueue report -i
// '{"title":"Sales","sections":[{"heading":"By month","bars":[{"label":"May","value":3}]}]}'

const Text = Type.String({ maxLength: 100_000 });
const Cell = Type.Union([
  Type.String({ maxLength: 10_000 }),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
]);

const ReportInputSchema = Type.Object(
  {
    title: Type.String({ minLength: 1, maxLength: 500 }),
    subtitle: Type.Optional(Type.String({ maxLength: 500 })),
    author: Type.Optional(Type.String({ maxLength: 200 })),
    fileName: Type.Optional(
      Type.String({ pattern: '^[^\\p{Cc}/\\\\]{1,180}$', description: 'With or without .pdf.' }),
    ),
    sections: Type.Array(
      Type.Object(
        {
          heading: Type.String({ minLength: 1, maxLength: 500 }),
          paragraphs: Type.Optional(Type.Array(Text, { maxItems: 500 })),
          table: Type.Optional(
            Type.Object(
              {
                columns: Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 12 }),
                rows: Type.Array(Type.Array(Cell, { maxItems: 12 }), { maxItems: 2_000 }),
              },
              { additionalProperties: false },
            ),
          ),
          bars: Type.Optional(
            Type.Array(
              Type.Object(
                { label: Type.String({ maxLength: 200 }), value: Type.Number({ minimum: 0 }) },
                { additionalProperties: false },
              ),
              { minItems: 1, maxItems: 50, description: 'A chart: a bar each.' },
            ),
          ),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 200 },
    ),
  },
  { additionalProperties: false },
);

const ReportResultSchema = Type.Object({
  artifactRef: Type.String(),
  fileName: Type.String(),
  pages: Type.Integer(),
  size: Type.Integer(),
  sha256: Type.String(),
});

export type ReportInput = Static<typeof ReportInputSchema>;
export type ReportSection = ReportInput['sections'][number];
export type ReportResult = Static<typeof ReportResultSchema>;

/** Makes a PDF from data, in a thread because it is CPU work. */
export const report: JobDefinition<ReportInput, ReportResult> = defineJob('report', {
  lifecycle: platform,
  input: fromTypebox(ReportInputSchema),
  result: fromTypebox(ReportResultSchema),
  isolation: { kind: 'thread', module: import.meta.url, export: 'report', memoryMb: 512 },
  timeout: '2m',
  stages: [
    { name: 'rendering', min: 0, max: 90 },
    { name: 'uploading', min: 90, max: 100 },
  ],
  run: async ({ input, job, stage, artifact, signal }): Promise<ReportResult> => {
    const fileName = `${(input.fileName ?? input.title).replace(/\.pdf$/i, '')}.pdf`;
    const createdAt = new Date(job.createdAt);
    const render = (report: (done: number) => void) =>
      renderReport(input, { createdAt, report, signal });
    let rendered: Awaited<ReturnType<typeof renderReport>> | null = null;
    const pages = await stage('rendering', async ({ progress }) => {
      rendered = await render(progress);
      return rendered.pages;
    });
    return stage('uploading', async () => {
      // A later attempt has the count of pages, and no page.
      const { bytes } = rendered ?? (await render(() => undefined));
      const kept = await artifact(nameOf(fileName), bytes, { contentType: 'application/pdf' });
      return {
        artifactRef: kept.id,
        fileName: kept.name,
        pages,
        size: kept.size,
        sha256: kept.sha256,
      };
    });
  },
});

function nameOf(fileName: string): string {
  return fileName.replaceAll(/[\p{Cc}\p{Cs}/\\:*?"<>|]+/gu, ' ').trim();
}
