import type * as CanvasPackage from '@napi-rs/canvas';
import type { SKRSContext2D } from '@napi-rs/canvas';
import { optionalPackage } from '../work/optional-package.ts';
import { type Bidi, loadBidi } from './bidi-package.ts';
import { levelRuns, levelsOf, visualOrder } from './bidi.ts';
import { type Face, faceFile, faceName, isBundled } from './face.ts';
import { type FontFile, FontFiles } from './font-files.ts';
import type { Notice } from './notice.ts';
import type { Measure } from './pen.ts';

/** Letters of one font and one direction, in the order they are read. */
export interface Stretch {
  readonly text: string;
  readonly font: FontFile;
  readonly isEmoji: boolean;
  readonly isRtl: boolean;
  /** From the left end of the whole text. */
  readonly x: number;
  readonly width: number;
}

/** A text that was broken into stretches. */
export interface Placed {
  readonly stretches: readonly Stretch[];
  readonly width: number;
}

/** Widths are measured at one size and scaled, so that each text is measured once. */
const MEASURED_AT = 100;
const KEPT_MAX = 50_000;

/** What DejaVu has for sure. */
const SIMPLE =
  /^[\u0020-\u007E\u00A0-\u024F\u0370-\u03FF\u0400-\u045F\u2010-\u2027\u2030-\u203A€→•…\t\n]*$/;
const EMOJI = /\p{RGI_Emoji}/v;
const ALL_EMOJI = /^\p{RGI_Emoji}$/v;
/** What joins or changes its neighbours and is no character to see. */
const UNSEEN = /^[\p{Cf}\p{Mn}\p{Me}\p{Cc}\uFE00-\uFE0F]$/u;
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

function faceKey({ font, family, bold, italic }: Face): string {
  return `${font ?? ''} ${family} ${bold} ${italic}`;
}

interface Chosen {
  readonly font: FontFile;
  readonly isEmoji: boolean;
}

/** Chooses fonts by character, orders directions, and measures. */
export class Typesetter {
  readonly canvas: typeof CanvasPackage;
  readonly bidi: Bidi;
  readonly #files: FontFiles;
  readonly #context: SKRSContext2D;
  readonly #registered: Set<string> = new Set();
  readonly #placed: Map<string, Placed & { readonly notices: readonly Notice[] }> = new Map();
  readonly #chains: Map<string, readonly FontFile[]> = new Map();
  readonly #fallbacks: Map<string, FontFile | null> = new Map();
  readonly #notices: Map<string, Notice> = new Map();
  #emoji: FontFile | null | undefined;

  constructor(canvas: typeof CanvasPackage, bidi: Bidi, files: FontFiles) {
    this.canvas = canvas;
    this.bidi = bidi;
    this.#files = files;
    this.#context = canvas.createCanvas(1, 1).getContext('2d');
  }

  static async open(): Promise<Typesetter> {
    const load = () => import('@napi-rs/canvas');
    const canvas = await optionalPackage('@napi-rs/canvas', load);
    return new Typesetter(canvas, await loadBidi(), await FontFiles.open());
  }

  /** What was noticed since this was last asked. */
  take(): Notice[] {
    const notices = [...this.#notices.values()];
    this.#notices.clear();
    return notices;
  }

  #notice(notice: Notice): void {
    this.#notices.set(`${notice.code} ${notice.what}`, notice);
  }

  readonly measure: Measure = (text, face, size) => this.place(text, face, size).width;

  /** Breaks a text into stretches, from left to right; without a direction by its letters. */
  place(text: string, face: Face, size: number, isRtl?: boolean): Placed {
    const key = `${isRtl ?? ''} ${faceKey(face)} ${text}`;
    let kept = this.#placed.get(key);
    if (kept === undefined) {
      const before = new Set(this.#notices.keys());
      const placed = this.#place(text, face, isRtl);
      const notices = [...this.#notices].filter(([name]) => !before.has(name));
      kept = { ...placed, notices: notices.map(([, notice]) => notice) };
      if (this.#placed.size > KEPT_MAX) this.#placed.clear();
      this.#placed.set(key, kept);
    } else for (const notice of kept.notices) this.#notice(notice);
    const scale = size / MEASURED_AT;
    return {
      stretches: kept.stretches.map((one) => ({
        ...one,
        x: one.x * scale,
        width: one.width * scale,
      })),
      width: kept.width * scale,
    };
  }

  #place(text: string, face: Face, isRtl: boolean | undefined): Placed {
    const levels = isRtl === undefined ? levelsOf(this.bidi, text, undefined) : null;
    const runs =
      levels === null
        ? [{ start: 0, end: text.length, level: isRtl === true ? 1 : 0 }]
        : levelRuns(levels, 0, text.length);
    const stretches: Stretch[] = [];
    let x = 0;
    for (const index of visualOrder(runs.map(({ level }) => level))) {
      const { start, end, level } = runs[index]!;
      const isBackward = level % 2 === 1;
      const parts = this.#byFont(text.slice(start, end), face);
      for (const { font, isEmoji, text: part } of isBackward ? parts.toReversed() : parts) {
        this.#context.font = `${MEASURED_AT}px "${font.name}"`;
        const { width } = this.#context.measureText(part);
        stretches.push({ text: part, font, isEmoji, isRtl: isBackward, x, width });
        x += width;
      }
    }
    return { stretches, width: x };
  }

  #byFont(text: string, face: Face): (Chosen & { text: string })[] {
    const chain = this.#chainOf(face);
    const first = chain[0]!;
    const isOurs = chain.length === 1;
    const has = (letter: string): boolean => isOurs || first.has(letter.codePointAt(0)!);
    if (SIMPLE.test(text) && Array.from(text).every(has))
      return [{ text, font: first, isEmoji: false }];
    const parts: (Chosen & { text: string })[] = [];
    for (const { segment } of graphemes.segment(text)) {
      const last = parts.at(-1);
      const isBlank = segment.trim() === '' && last !== undefined && !last.isEmoji;
      const chosen = isBlank ? last : this.#choose(segment, face, chain);
      if (last !== undefined && last.font === chosen.font && last.isEmoji === chosen.isEmoji) {
        parts[parts.length - 1] = { ...last, text: last.text + segment };
      } else parts.push({ font: chosen.font, isEmoji: chosen.isEmoji, text: segment });
    }
    return parts;
  }

  #choose(grapheme: string, face: Face, chain: readonly FontFile[]): Chosen {
    if (EMOJI.test(grapheme) && ALL_EMOJI.test(grapheme)) {
      this.#emoji ??= this.#registeredFile(this.#files.emoji());
      if (this.#emoji !== null) return { font: this.#emoji, isEmoji: true };
    }
    const seen = Array.from(grapheme).filter((letter) => !UNSEEN.test(letter));
    const points = (seen.length > 0 ? seen : []).map((letter) => letter.codePointAt(0)!);
    const covers = (font: FontFile): boolean => points.every((point) => font.has(point));
    const found = chain.find(covers) ?? this.#fallback(seen.join(''), face, covers);
    if (found !== null) return { font: found, isEmoji: false };
    const names = points.map((point) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`);
    const what = `no font here has ${names.join(' ')}`;
    this.#notice({ code: 'GLYPH_MISSING', what, text: grapheme });
    return { font: chain.at(-1)!, isEmoji: false };
  }

  #fallback(letters: string, { bold }: Face, covers: (font: FontFile) => boolean): FontFile | null {
    const key = `${bold} ${letters}`;
    const known = this.#fallbacks.get(key);
    if (known !== undefined) return known;
    let found: FontFile | null = null;
    for (const font of this.#files.scripts(bold)) {
      if (covers(font)) {
        found = this.#registeredFile(font);
        break;
      }
    }
    this.#fallbacks.set(key, found);
    return found;
  }

  /** The font that the document names, where it is there, and ours. */
  #chainOf(face: Face): readonly FontFile[] {
    const { font, bold, italic } = face;
    const key = faceKey(face);
    let chain = this.#chains.get(key);
    if (chain === undefined) {
      const own = faceName(face);
      const ours = this.#registeredFile(this.#files.at(faceFile(own), own))!;
      const wanted = font === undefined || isBundled(font);
      const named = wanted ? null : this.#registeredFile(this.#files.named(font, bold, italic));
      chain = named === null ? [ours] : [named, ours];
      this.#chains.set(key, chain);
    }
    const [first] = chain;
    if (font !== undefined && !isBundled(font)) {
      const drawn = first!.family;
      if (drawn.toLowerCase() !== font.toLowerCase()) {
        this.#notice({ code: 'FONT_SUBSTITUTED', what: `the font ${font} was drawn as ${drawn}` });
      }
    }
    return chain;
  }

  #registeredFile(file: FontFile | null): FontFile | null {
    if (file !== null && !this.#registered.has(file.name)) {
      this.canvas.GlobalFonts.registerFromPath(file.path, file.name);
      this.#registered.add(file.name);
    }
    return file;
  }
}

let opened: Promise<Typesetter> | null = null;

/** The typesetter of this process: fonts are opened once. */
export function openTypesetter(): Promise<Typesetter> {
  opened ??= Typesetter.open();
  opened.catch(() => (opened = null));
  return opened;
}
