import type { Command } from 'commander';
import { type Given, onServer, type Session, UsageError } from 'pawl/cli';
import { requireWrite, WRITE } from './bench-write.ts';

interface Options {
  readonly runs: string;
  readonly slides: string;
  readonly write?: true;
}

async function run(session: Session, { options }: Given<Options>): Promise<void> {
  const [runs, slides] = [Number(options.runs), Number(options.slides)];
  if (!(Number.isInteger(runs) && runs > 0 && Number.isInteger(slides) && slides > 0)) {
    throw new UsageError('--runs and --slides take whole numbers');
  }
  const { client, screen } = session;
  requireWrite(session, options, `makes ${2 * runs + 1} jobs and their artifacts`);
  // The library and the sample are large; the other commands need none of either.
  const { measureStudio, studioReport } = await import('./bench-studio.ts');
  const took = await measureStudio(client, { runs, slides }, (text) => screen.talk(text));
  if (screen.isJson) screen.json(took);
  else screen.data(studioReport(took, { runs, slides }));
}

/** `pawl bench studio`. */
export function addBenchStudio(bench: Command): void {
  bench
    .command('studio')
    .description('measure converting and exporting a deck, compared with the targets')
    .option('--runs <count>', 'number of runs', '50')
    .option('--slides <count>', 'number of slides, each with images', '30')
    .option('--write', WRITE)
    .action(onServer(run));
}
