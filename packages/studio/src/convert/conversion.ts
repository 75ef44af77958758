import { createHash } from 'node:crypto';
import { fail, isJobFailure, type RunContext } from 'pawl/define';
import { checkDeck } from '../deck/check-deck.ts';
import { type Asset, type Deck, DECK_VERSION, type SourceType } from '../deck/deck.ts';
import {
  type Account,
  droppedIn,
  type Loss,
  type LossSummary,
  NO_ACCOUNT,
  totalOf,
} from '../deck/losses.ts';
import { openPreviews } from '../draw/canvas.ts';
import { type Notice, withNotices } from '../draw/notice.ts';
import { readWhole } from '../work/bytes.ts';
import { inLanes } from '../work/lanes.ts';
import { BOUNDS } from './bounds.ts';
import type { Draft, FoundDeck, SourceReader } from './draft.ts';
import type { FoundImage } from './image.ts';
import type { ConvertInput } from './input.ts';
import { normaliseSlide } from './normalise.ts';
import { openSource } from './open-source.ts';
import { refuse } from './refusal.ts';
import { sourceTypeOf } from './sniff.ts';
import { unlocked } from './unlock.ts';
import { keepSourcePreviews, type SourcePreviews } from './source-previews-kept.ts';

type Context = Pick<RunContext<unknown>, 'artifact' | 'openArtifact' | 'once' | 'signal'>;
export type Report = (done: number, message: string) => void;

/** What is known of the source once its bytes were seen. */
export interface SourceFacts {
  readonly type: SourceType;
  readonly name: string | null;
  readonly size: number;
  readonly sha256: string;
}

/** A slide that was extracted, and where its images lie. */
interface Extracted {
  readonly draft: Draft;
  readonly assets: Deck['assets'];
  /** Absent in what an older release kept of a job that is still running. */
  readonly account?: Account;
}

/** A preview that was drawn; an older release kept its id alone. */
type Drawn = string | { readonly id: string; readonly notices: readonly Notice[] };

/** What became of the deck, and where the list of losses is kept. */
export interface KeptLosses extends LossSummary {
  readonly lossesRef: string;
}

const EXTENSIONS = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** While one is painted others are encoded, in threads of their own, and kept. */
const DRAWN_AT_ONCE = 4;

/** One attempt at a conversion: what it has in memory, and what it makes anew when it has not. */
export class Conversion {
  readonly #context: Context;
  readonly #input: ConvertInput;
  readonly #images: Map<string, Uint8Array> = new Map();
  #bytes: Uint8Array | null = null;
  #facts: SourceFacts | null = null;
  #reader: SourceReader | null = null;
  readonly #accounts: Account[] = [];
  readonly #notices: (readonly Notice[])[] = [];
  #deck: Deck | null = null;
  #imagesBytes = 0;
  #keptBytes = 0;

  constructor(context: Context, input: ConvertInput) {
    this.#context = context;
    this.#input = input;
  }

  async close(): Promise<void> {
    await this.#reader?.close();
  }

  async fetch(): Promise<SourceFacts> {
    const { text, sourceType, assetRef } = this.#input;
    const opened = text === undefined ? await this.#open(assetRef!) : null;
    const bytes =
      opened === null ? Buffer.from(text!) : await readWhole(opened, BOUNDS.sourceBytes);
    if (bytes === null) {
      throw refuse('CONVERT_TOO_LARGE', `the file has more than ${BOUNDS.sourceBytes} bytes`);
    }
    const name = this.#input.name ?? opened?.name ?? null;
    const said = sourceType ?? (text === undefined ? undefined : 'md');
    const { password } = this.#input;
    const open = await unlocked(bytes, password);
    const type = sourceTypeOf(open, {
      ...(said === undefined ? {} : { sourceType: said }),
      ...(name === null ? {} : { name }),
      ...(opened === null ? {} : { contentType: opened.contentType }),
    });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.#bytes = open;
    this.#facts = { type, name, size: bytes.byteLength, sha256 };
    return this.#facts;
  }

  async #open(assetRef: string): ReturnType<Context['openArtifact']> {
    try {
      return await this.#context.openArtifact(assetRef);
    } catch (error) {
      if (!isJobFailure(error) || error.code !== 'NOT_FOUND') throw error;
      throw refuse('CONVERT_SOURCE_NOT_FOUND', `there is no artifact ${assetRef}`, error);
    }
  }

  async #source(): Promise<SourceReader> {
    if (this.#reader === null) {
      const { type, name } = this.#facts ?? (await this.fetch());
      const { password, ocr } = this.#input;
      const { signal } = this.#context;
      this.#reader = await openSource(this.#bytes!, { type, name, password, ocr, signal });
    }
    return this.#reader;
  }

  /** Slide by slide, each kept when it is done: a later attempt goes on with the next. */
  async extract(report: Report): Promise<FoundDeck> {
    const { found } = await this.#source();
    const known: Record<string, Asset> = {};
    for (let index = 0; index < found.slides; index++) {
      const { assets } = await this.#slide(index, known);
      Object.assign(known, assets);
      report((index + 1) / found.slides, `slide ${index + 1} of ${found.slides}`);
    }
    return found;
  }

  async #slide(index: number, known: Readonly<Deck['assets']>): Promise<Extracted> {
    try {
      return await this.#context.once(`slide:${index}`, () => this.#extractSlide(index, known));
    } catch (error) {
      if (!isJobFailure(error) || error.code !== 'PAYLOAD_TOO_LARGE') throw error;
      throw refuse('CONVERT_TOO_LARGE', `slide ${index + 1} has more than can be kept`, error);
    }
  }

  async #extractSlide(index: number, known: Readonly<Deck['assets']>): Promise<Extracted> {
    const { draft, images, account } = await (await this.#source()).slide(index);
    const assets: Record<string, Asset> = {};
    for (const image of images) {
      assets[image.sha256] = known[image.sha256] ?? (await this.#keepImage(image));
      this.#keepInMemory(image);
    }
    return { draft, assets, account };
  }

  /** For the previews; what is more than this is read from where it was kept. */
  #keepInMemory({ sha256, bytes }: FoundImage): void {
    if (this.#images.has(sha256)) return;
    if (this.#keptBytes + bytes.byteLength > BOUNDS.keptImagesBytes) return;
    this.#images.set(sha256, bytes);
    this.#keptBytes += bytes.byteLength;
  }

  async #keepImage({ sha256, bytes, mediaType, width, height }: FoundImage): Promise<Asset> {
    this.#imagesBytes += bytes.byteLength;
    if (this.#imagesBytes > BOUNDS.imagesBytes) {
      throw refuse('CONVERT_TOO_LARGE', `the images have more than ${BOUNDS.imagesBytes} bytes`);
    }
    const name = `images/${sha256.slice(0, 16)}.${EXTENSIONS[mediaType]}`;
    const { id } = await this.#context.artifact(name, bytes, { contentType: mediaType });
    return { mediaType, width, height, artifact: id };
  }

  /** Makes the deck of what was extracted, and keeps it. */
  async normalise(found: FoundDeck, facts: SourceFacts): Promise<string> {
    const assets: Record<string, Asset> = {};
    const slides: Deck['slides'] = [];
    for (let index = 0; index < found.slides; index++) {
      const kept = await this.#slide(index, assets);
      Object.assign(assets, kept.assets);
      this.#accounts[index] = kept.account ?? NO_ACCOUNT;
      slides.push(normaliseSlide(kept.draft, index, found.theme));
    }
    const { title, size, theme, language } = found;
    const { name, ...source } = facts;
    const deck: Deck = {
      format: 'pawl-deck',
      version: DECK_VERSION,
      title,
      ...(language === undefined ? {} : { language }),
      size,
      theme,
      assets,
      slides,
      source: { ...source, ...(name === null ? {} : { name: name.slice(0, 512) }) },
    };
    const checked = checkDeck(deck);
    if ('faults' in checked) {
      const first = checked.faults[0]!;
      throw fail('internal_bug', `the deck is wrong at ${first.pointer}: ${first.message}`, {
        code: 'CONVERT_INTERNAL',
      });
    }
    this.#refuseLosses(this.#accounts.flatMap(({ losses }) => losses));
    this.#deck = deck;
    const contentType = 'application/json';
    const json = JSON.stringify(deck);
    return (await this.#context.artifact('deck.json', json, { contentType })).id;
  }

  #refuseLosses(losses: readonly Loss[]): void {
    const dropped = this.#input.strict === true ? droppedIn(losses) : null;
    if (dropped !== null) throw refuse('CONVERT_LOSSES', dropped);
  }

  /** Draws every slide, each kept when it is done, several at a time. */
  async preview(deckRef: string, report: Report): Promise<string[]> {
    const deck = this.#deck ?? (await this.readBack(deckRef));
    const draw = await openPreviews(deck, (asset) => this.#imageOf(deck, asset));
    const { slides } = deck;
    const previews: string[] = [];
    let done = 0;
    await inLanes(slides.length, DRAWN_AT_ONCE, async (index) => {
      const drawn: Drawn = await this.#context.once(`preview:${index}`, async () => {
        const { jpeg, notices } = await draw(slides[index]!);
        const name = `previews/${String(index + 1).padStart(4, '0')}.jpg`;
        const { id } = await this.#context.artifact(name, jpeg, { contentType: 'image/jpeg' });
        return { id, notices };
      });
      previews[index] = typeof drawn === 'string' ? drawn : drawn.id;
      this.#notices[index] = typeof drawn === 'string' ? [] : drawn.notices;
      done += 1;
      report(done / slides.length, `preview ${done} of ${slides.length}`);
    });
    return previews;
  }

  /** Draws the source itself, where somebody asked for it and something can. */
  async sourcePreviews(): Promise<SourcePreviews | undefined> {
    if (this.#input.sourcePreviews !== true) return undefined;
    const { type, name } = this.#facts ?? (await this.fetch());
    if (this.#bytes === null) await this.fetch();
    const { password } = this.#input;
    const { signal } = this.#context;
    return keepSourcePreviews(this.#context, {
      bytes: this.#bytes!,
      options: { type, name, password, signal },
    });
  }

  /** Keeps the list of everything that is not as it was, by reading and by drawing. */
  async losses({ slides }: FoundDeck): Promise<KeptLosses> {
    for (let index = 0; index < slides; index++) {
      this.#accounts[index] ??= (await this.#slide(index, {})).account ?? NO_ACCOUNT;
    }
    const total = totalOf(withNotices(this.#accounts, this.#notices));
    this.#refuseLosses(total.losses);
    const { losses, ...summary } = total;
    const json = JSON.stringify({ ...summary, losses });
    const contentType = 'application/json';
    const { id } = await this.#context.artifact('losses.json', json, { contentType });
    return { ...summary, lossesRef: id };
  }

  async #imageOf({ assets }: Deck, asset: string): Promise<Uint8Array> {
    const kept = this.#images.get(asset);
    if (kept !== undefined) return kept;
    const opened = await this.#context.openArtifact(assets[asset]!.artifact!);
    return (await readWhole(opened, BOUNDS.imageBytes))!;
  }

  /** The deck as it lies in the store: success means that it can be read from there. */
  async readBack(deckRef: string): Promise<Deck> {
    const bytes = await readWhole(await this.#context.openArtifact(deckRef), Infinity);
    const checked = checkDeck(JSON.parse(Buffer.from(bytes!).toString()));
    if ('deck' in checked) return checked.deck;
    throw fail('corruption_detected', 'the deck that was kept is not the one that was made', {
      code: 'CONVERT_CORRUPTED',
    });
  }
}
