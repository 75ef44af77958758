import type { ApiClient } from 'pawl/client';
import { DEFAULT_TARGETS } from 'pawl/plugin';
import { sampleDeck } from '../sample/deck.ts';

export interface StudioBench {
  readonly runs: number;
  readonly slides: number;
}

/** How long each job of a type took, from its acceptance to its end, the shortest first. */
export type Durations = Readonly<Record<'convert' | 'export', readonly number[]>>;

/** Hears of each job, so that whoever has the server at hand can read its meters. */
export type OnJob = (type: 'convert' | 'export') => void;

/** Converts and exports one deck again and again, one job at a time. */
export async function measureStudio(
  client: ApiClient,
  { runs, slides }: StudioBench,
  say: (text: string) => void,
  onJob: OnJob = () => undefined,
): Promise<Durations> {
  const perform = async (type: string, input: object) => {
    const { id } = await client.enqueue({ type, input });
    const job = await client.waitForEnd(id);
    if (job.phase !== 'succeeded') throw new Error(`${type}: ${JSON.stringify(job.error)}`);
    const tookMs = Date.parse(job.completedAt!) - Date.parse(job.createdAt);
    return { tookMs, result: (await client.result(id)) as Record<string, string> };
  };
  const deck = JSON.stringify({ deck: sampleDeck(slides), format: 'pptx' });
  const upload = { name: 'input.json', contentType: 'application/json', content: deck };
  const { id: $artifact } = await client.artifacts.upload(upload);
  const { result: made } = await perform('export', { $artifact });
  const took = { convert: [] as number[], export: [] as number[] };
  onJob('export');
  for (let run = 1; run <= runs; run++) {
    const converted = await perform('convert', { assetRef: made['artifactRef'] });
    onJob('convert');
    const deckRef = converted.result['deckRef'];
    const exported = await perform('export', { deckRef, format: 'pptx' });
    onJob('export');
    took.convert.push(converted.tookMs);
    took.export.push(exported.tookMs);
    say(`${run} of ${runs}: convert ${converted.tookMs} ms, export ${exported.tookMs} ms`);
  }
  const sorted = (list: readonly number[]) => list.toSorted((one, other) => one - other);
  return { convert: sorted(took.convert), export: sorted(took.export) };
}

/** A table of what was measured beside what is promised. */
export function studioReport(took: Durations, { runs, slides }: StudioBench): string {
  const rows = Object.entries(took).map(([type, list]) => {
    const cells = ([50, 95, 99] as const).map((percent) => {
      const at = list[Math.ceil((percent / 100) * list.length) - 1]!;
      const target = DEFAULT_TARGETS[type]![`p${percent}Ms`]!;
      return `${at} ms (${at <= target ? 'within' : 'over'} ${target})`;
    });
    return `| ${type} | ${cells.join(' | ')} |`;
  });
  return [
    `# Convert and export, ${slides} slides with images, ${runs} runs`,
    '',
    '| type | p50 | p95 | p99 |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}
