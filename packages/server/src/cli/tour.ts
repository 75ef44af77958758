import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { ArtifactJson } from 'pawl/internal/contract/artifact';
import type { EnqueueJson } from 'pawl/internal/contract/enqueue';
import { type Given, onServer, type Session } from 'pawl/internal/cli/session';
import { TOUR_NAME, TOUR_QUESTION, TOUR_TEXT } from './tour-deck.ts';
import { requireSuccess, watchJob } from 'pawl/internal/cli/commands/watch';

interface TourOptions {
  readonly out: string;
  readonly question: string;
}

/** Runs a job to its end before the eyes of whoever looks, and answers with its result. */
async function perform<Result>(session: Session, job: EnqueueJson): Promise<[string, Result]> {
  const { id } = await session.client.enqueue(job);
  requireSuccess(await watchJob(session, id));
  return [id, (await session.client.result(id)) as Result];
}

function say({ screen }: Session, text: string): void {
  if (!screen.isJson) screen.talk(`\n${screen.paint('bold', text)}`);
}

async function download(
  { client, screen }: Session,
  artifact: ArtifactJson,
  folder: string,
): Promise<void> {
  // Names are the platform's; a file of ours has none of its folders.
  const path = join(folder, artifact.name.replaceAll(/[/\\]/g, '-'));
  await pipeline(await client.artifacts.download(artifact), createWriteStream(path));
  if (screen.isJson) screen.json({ file: path, size: artifact.size });
  else screen.data(`  ${path}  ${artifact.size} bytes`);
}

/** Asks about the deck, and prints the answer as it is written. */
async function ask(session: Session, job: EnqueueJson): Promise<void> {
  const { client, screen } = session;
  const { id } = await client.enqueue(job);
  let isTold = false;
  for await (const item of client.events(id)) {
    if (item.kind !== 'event' || item.event.type !== 'job_tokens' || screen.isJson) continue;
    const { text } = item.event.metadata;
    screen.raw(typeof text === 'string' ? text : '');
    isTold = true;
  }
  requireSuccess(await client.job(id));
  const result = (await client.result(id)) as { response: string | null; model: string };
  if (screen.isJson) screen.json(result);
  else screen.data(`${isTold ? '' : result.response}\n`);
  screen.talk(`Answered by ${result.model}.`);
}

async function tour(session: Session, { options }: Given<TourOptions>): Promise<void> {
  const { client } = session;
  const { out, question } = options;
  await mkdir(out, { recursive: true });
  say(session, `Uploading ${TOUR_NAME}`);
  const source = await client.artifacts.upload({
    name: TOUR_NAME,
    contentType: 'text/markdown',
    content: TOUR_TEXT,
  });
  say(session, 'Converting it: stages, progress, a preview of every slide');
  const convert = { type: 'convert', input: { assetRef: source.id } };
  const [convertId, { deckRef }] = await perform<{ deckRef: string }>(session, convert);
  const { items } = await client.artifacts.ofJob(convertId);
  for (const artifact of items) await download(session, artifact, out);
  for (const format of ['pptx', 'pdf']) {
    say(session, `Exporting it as .${format}`);
    const input = { deckRef, format };
    const exporting = { type: 'export', input };
    const [exportId] = await perform(session, exporting);
    const files = await client.artifacts.ofJob(exportId);
    for (const artifact of files.items) await download(session, artifact, out);
  }
  say(session, `Asking: ${question}`);
  await ask(session, { type: 'ai', input: { deckRef, prompt: question } });
}

/** `pawl tour`. */
export function addTour(program: Command): void {
  program
    .command('tour')
    .description(
      'a tour of the studio: upload, convert, export, download and ask about a small deck',
    )
    .option('--out <folder>', 'folder of the downloaded files', 'pawl-tour')
    .option('--question <text>', 'question about the deck', TOUR_QUESTION)
    .addHelpText('after', '\nNeeds a server that runs: npm start')
    .action(onServer(tour));
}
