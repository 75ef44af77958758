import { createHash } from 'node:crypto';
import {
  fail,
  isJobFailure,
  type JobFailure,
  type KeptArtifact,
  type RunContext,
} from 'pawl/define';
import { checkDeck } from '../deck/check-deck.ts';
import type { Deck, Slide } from '../deck/deck.ts';
import { readWhole } from '../work/bytes.ts';
import { imageSizeOf, isHuge } from '../work/image-size.ts';
import { type ExportInput, fileNameOf } from './input.ts';
import {
  type Account,
  droppedIn,
  type ElementLedger,
  Ledger,
  type LossSummary,
  totalOf,
} from '../deck/losses.ts';
import { plainLines } from '../deck/text.ts';
import { openPdfWriter } from './pdf.ts';
import { openPptxWriter } from './pptx.ts';
import { refuse } from './refusal.ts';
import type { DeckWriter, SlideLedger } from './writer.ts';

const MB = 1024 ** 2;
const DECK_BYTES_MAX = 64 * MB;
const IMAGE_BYTES_MAX = 32 * MB;
const IMAGES_BYTES_MAX = 192 * MB;

const MEDIA_TYPES = {
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  pdf: 'application/pdf',
} as const;

type Context = Pick<RunContext<unknown>, 'artifact' | 'openArtifact' | 'job' | 'signal'>;

/** One attempt at an export: what it has in memory, and what it makes anew when it has not. */
export class Exporting {
  readonly #context: Context;
  readonly #input: ExportInput;
  #deck: Deck | null = null;
  #writer: DeckWriter | null = null;
  #file: Uint8Array | null = null;
  #accounts: readonly Account[] = [];
  #imagesBytes = 0;

  constructor(context: Context, input: ExportInput) {
    this.#context = context;
    this.#input = input;
  }

  async prepare(): Promise<Deck> {
    const checked = checkDeck(await this.#given());
    if ('deck' in checked) return (this.#deck = checked.deck);
    const list = checked.faults.map(({ pointer, message }) => `${pointer || '/'} ${message}`);
    throw refuse('EXPORT_INVALID_DECK', `the deck does not fit: ${list.join('; ')}`);
  }

  async #given(): Promise<unknown> {
    const { deck, deckRef } = this.#input;
    if (deckRef === undefined) return deck;
    const bytes = await this.#read(deckRef, DECK_BYTES_MAX, 'EXPORT_DECK_NOT_FOUND');
    try {
      return JSON.parse(Buffer.from(bytes).toString()) as unknown;
    } catch (error) {
      throw refuse('EXPORT_INVALID_DECK', 'the artifact is not JSON', error);
    }
  }

  async #read(
    id: string,
    bytesMax: number,
    missing: 'EXPORT_DECK_NOT_FOUND' | 'EXPORT_IMAGE_MISSING',
  ): Promise<Uint8Array> {
    try {
      const bytes = await readWhole(await this.#context.openArtifact(id), bytesMax);
      if (bytes !== null) return bytes;
    } catch (error) {
      if (!isJobFailure(error) || error.code !== 'NOT_FOUND') throw error;
      throw refuse(missing, `there is no artifact ${id}`, error);
    }
    throw refuse('EXPORT_TOO_LARGE', `the artifact ${id} has more than ${bytesMax} bytes`);
  }

  async render(report: (done: number, message: string) => void): Promise<number> {
    const deck = this.#deck ?? (await this.prepare());
    const options = {
      readAsset: (asset: string) => this.#imageOf(deck, asset),
      createdAt: new Date(this.#context.job.createdAt),
      withNotes: this.#input.withNotes ?? false,
    };
    const open = this.#input.format === 'pptx' ? openPptxWriter : openPdfWriter;
    const writer = await open(deck, options);
    const accounts: Account[] = [];
    for (const [index, slide] of deck.slides.entries()) {
      this.#context.signal.throwIfAborted();
      const ledger = new Ledger(index + 1);
      await writer.add(slide, ledgersOf(slide, ledger, this.#input));
      accounts.push(ledger.close());
      report((index + 1) / deck.slides.length, `slide ${index + 1} of ${deck.slides.length}`);
    }
    this.#writer = writer;
    this.#accounts = onceEach(accounts);
    const losses = this.#accounts.flatMap((account) => account.losses);
    const dropped = this.#input.strict === true ? droppedIn(losses) : null;
    if (dropped !== null) throw refuse('EXPORT_LOSSES', dropped);
    return deck.slides.length;
  }

  /** The bytes of an image that really is what its asset says. */
  async #imageOf({ assets }: Deck, asset: string): Promise<Uint8Array> {
    const { data, artifact, mediaType } = assets[asset]!;
    const bytes =
      data === undefined
        ? await this.#read(artifact!, IMAGE_BYTES_MAX, 'EXPORT_IMAGE_MISSING')
        : Buffer.from(data, 'base64');
    this.#imagesBytes += bytes.byteLength;
    const size = imageSizeOf(bytes);
    if (size === null || size.mediaType !== mediaType) {
      throw refuse('EXPORT_IMAGE_INVALID', `the image ${asset} is not ${mediaType}`);
    }
    if (isHuge(size) || this.#imagesBytes > IMAGES_BYTES_MAX) {
      throw refuse('EXPORT_TOO_LARGE', `the image ${asset} is too large`);
    }
    return bytes;
  }

  async pack(): Promise<number> {
    if (this.#writer === null) await this.render(() => undefined);
    this.#file = await this.#writer!.finish();
    return this.#file.byteLength;
  }

  /** Keeps the list of everything that the file has differently. */
  async losses(): Promise<LossSummary & { readonly lossesRef: string }> {
    const { losses, ...summary } = totalOf(this.#accounts);
    const json = JSON.stringify({ ...summary, losses });
    const contentType = 'application/json';
    const { id } = await this.#context.artifact('losses.json', json, { contentType });
    return { ...summary, lossesRef: id };
  }

  async upload(): Promise<KeptArtifact> {
    if (this.#file === null) await this.pack();
    const name = fileNameOf(this.#input, this.#deck!);
    const contentType = MEDIA_TYPES[this.#input.format];
    const kept = await this.#context.artifact(name, this.#file!, { contentType });
    const sha256 = createHash('sha256').update(this.#file!).digest('hex');
    if (kept.sha256 !== sha256) throw corrupted();
    return kept;
  }

  /** The file as it lies in the store: success means that it can be read from there. */
  async verify({ id, sha256 }: KeptArtifact): Promise<void> {
    const { content } = await this.#context.openArtifact(id);
    const hash = createHash('sha256');
    for await (const chunk of content) hash.update(chunk);
    if (hash.digest('hex') !== sha256) throw corrupted();
  }
}

/** Every part of a slide, for the writer to say what became of it. */
function ledgersOf(slide: Slide, ledger: Ledger, input: ExportInput): SlideLedger {
  const { title, subtitle, notes, origin } = slide;
  const whole = ledger.element('slide', origin);
  if (slide.hidden === true && input.format === 'pdf') {
    whole.lose('HIDDEN_SLIDE_SHOWN', 'a PDF shows the slide, which is hidden in the deck');
  }
  if (title !== undefined) ledger.element('title', origin);
  if (subtitle !== undefined) ledger.element('text', origin);
  if (notes !== undefined) noteNotes(notes, ledger.element('notes', origin), input);
  const blocks = slide.blocks.map((block) => ledger.element(block.kind, block.origin));
  return { slide: whole, blocks };
}

/** Both formats have notes as plain lines, and a PDF has them only where somebody asked. */
function noteNotes(
  notes: NonNullable<Slide['notes']>,
  ledger: ElementLedger,
  { format, withNotes }: ExportInput,
): void {
  const text = plainLines(notes);
  if (format === 'pdf' && withNotes !== true) {
    ledger.drop(
      'NOTES_DROPPED',
      'the notes are not in the file: ask for them by `withNotes`',
      text,
    );
    return;
  }
  const isPlain = notes.every(
    ({ list, runs }) =>
      list === undefined && runs.every((run) => Object.keys(run).every((key) => key === 'text')),
  );
  if (isPlain) return;
  ledger.lose('NOTES_LOOK_APPROXIMATED', 'looks and lists of notes are plain lines', text);
}

/** A font that is missing is said once for the whole file. */
function onceEach(accounts: readonly Account[]): Account[] {
  const said = new Set<string>();
  return accounts.map((account) => ({
    ...account,
    losses: account.losses.filter(({ code, what }) => {
      if (code !== 'FONT_SUBSTITUTED') return true;
      const isNew = !said.has(what);
      said.add(what);
      return isNew;
    }),
  }));
}

function corrupted(): JobFailure {
  const message = 'the file that was kept is not the one that was made';
  return fail('corruption_detected', message, { code: 'EXPORT_CORRUPTED' });
}
