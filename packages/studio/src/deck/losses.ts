import type { Origin } from './blocks.ts';

/** What happens to a part of a source that a deck, a picture or a file cannot have as it is. */
type Outcome = 'approximated' | 'dropped';

/** Every kind of loss: what it does to the part, and what it means. */
export const LOSSES = {
  SHAPE_EFFECT_DROPPED: ['dropped', 'Glow, reflection, soft edges, inner shadows and bevels.'],
  SHAPE_FILL_APPROXIMATED: [
    'approximated',
    'A pattern, picture or path gradient as plain colours.',
  ],
  SHAPE_GEOMETRY_APPROXIMATED: ['approximated', 'A shape that no table knows, as a rectangle.'],
  SHAPE_LINE_APPROXIMATED: ['approximated', 'A compound or gradient line as a plain one.'],
  SHAPE_DROPPED: ['dropped', 'A kind of object that a deck does not know.'],
  SHADOW_APPROXIMATED: ['approximated', 'A shadow with hard edges.'],
  TEXT_EFFECT_DROPPED: ['dropped', 'Outlines, fills, shadows and bends of letters.'],
  TEXT_COLUMNS_DROPPED: ['dropped', 'Columns of text in one shape, as one column.'],
  TEXT_DIRECTION_APPROXIMATED: ['approximated', 'Letters that are stacked, as a turned line.'],
  TEXT_LIST_APPROXIMATED: ['approximated', 'A list in a cell, or picture bullets.'],
  FONT_SUBSTITUTED: ['approximated', 'A font that is not there was drawn as another one.'],
  GLYPH_MISSING: ['dropped', 'Characters that no font here has; the deck keeps them.'],
  LINK_DROPPED: ['dropped', 'A link within the document, an action, or an unsafe address.'],
  IMAGE_FORMAT_DROPPED: ['dropped', 'A picture in a format that a deck does not know.'],
  IMAGE_EXTERNAL_DROPPED: ['dropped', 'A picture that lies elsewhere: nothing is fetched.'],
  IMAGE_MISSING: ['dropped', 'A picture that the file names and does not have.'],
  IMAGE_EFFECT_DROPPED: ['dropped', 'Recolouring and artistic effects of a picture.'],
  IMAGE_CROP_APPROXIMATED: ['approximated', 'A crop that the format cannot express.'],
  MEDIA_DROPPED: ['dropped', 'Sound or video; its picture stays.'],
  CHART_TYPE_APPROXIMATED: ['approximated', 'A chart as the kind that comes nearest.'],
  CHART_DROPPED: ['dropped', 'A chart of a kind that a deck does not know.'],
  CHART_FEATURE_DROPPED: ['dropped', 'Trend lines, error bars, second axes and data tables.'],
  CHART_SERIES_DROPPED: ['dropped', 'Series beyond what a chart of a deck can have.'],
  TABLE_STYLE_APPROXIMATED: ['approximated', 'A table style of the file as the nearest look.'],
  SMARTART_AS_SHAPES: ['approximated', 'A diagram as the shapes that it was drawn with.'],
  OBJECT_AS_PICTURE: ['approximated', 'An embedded object as its picture.'],
  OBJECT_DROPPED: ['dropped', 'An embedded object without a picture.'],
  MATH_AS_TEXT: ['approximated', 'A formula as its characters.'],
  ANIMATION_DROPPED: ['dropped', 'Animations of a slide.'],
  TRANSITION_DROPPED: ['dropped', 'The transition to a slide.'],
  COMMENT_DROPPED: ['dropped', 'Comments of reviewers.'],
  BACKGROUND_APPROXIMATED: ['approximated', 'A background as plain colours.'],
  STYLE_APPROXIMATED: ['approximated', 'Looks of a text that flows, as those of the deck.'],
  TEXT_BOX_AS_TEXT: ['approximated', 'A box in a text that flows, as paragraphs.'],
  FOOTNOTE_AS_NOTES: ['approximated', 'Footnotes and endnotes, as notes of the slide.'],
  REVISION_ACCEPTED: ['approximated', 'Tracked changes, as if they were accepted.'],
  HEADER_FOOTER_DROPPED: ['dropped', 'Headers and footers of a text that flows.'],
  TABLE_NESTED_AS_TEXT: ['approximated', 'A table in a cell, as the text of the cell.'],
  TABLE_CUT_DROPPED: ['dropped', 'Rows and columns beyond what a table of a deck can have.'],
  IMAGE_ORNAMENT_DROPPED: ['dropped', 'Stencils and pictures of a few points.'],
  IMAGE_PLACE_APPROXIMATED: ['approximated', 'A picture in a cell, below the table.'],
  FORM_FIELD_DROPPED: ['dropped', 'Fields of a form.'],
  NOTES_DROPPED: ['dropped', 'Speaker notes that a file was not asked to have.'],
  NOTES_LOOK_APPROXIMATED: ['approximated', 'Looks and lists of notes, as plain lines.'],
  HIDDEN_SLIDE_SHOWN: ['approximated', 'A hidden slide, as a page like all others.'],
  READ_BY_OFFICE: ['approximated', 'A file that LibreOffice made into one that can be read.'],
  TEXT_NOT_RECOGNISED: ['dropped', 'Words of a page that is a picture, without text recognition.'],
  OCR_USED: ['approximated', 'Text that was recognised in a picture.'],
  LAYOUT_GUESSED: ['approximated', 'Paragraphs and columns by the places of letters.'],
} as const satisfies Readonly<Record<string, readonly [Outcome, string]>>;

export type LossCode = keyof typeof LOSSES;

/** What a loss concerns. */
export type LossKind =
  | 'slide'
  | 'title'
  | 'text'
  | 'shape'
  | 'connector'
  | 'image'
  | 'table'
  | 'chart'
  | 'diagram'
  | 'object'
  | 'notes'
  | 'background'
  | 'animation'
  | 'transition'
  | 'comment'
  | 'field'
  | 'footer'
  | 'link';

/** One thing that is not as it was. */
export interface Loss {
  /** From 1. */
  readonly slide: number;
  readonly origin?: Origin;
  readonly kind: LossKind;
  readonly code: LossCode;
  readonly outcome: Outcome;
  /** In words, for people. */
  readonly what: string;
  /** The words of the source that it concerns. */
  readonly text?: string;
}

/** Every element counts once, by the worst that happened to it. */
export interface LossCounts {
  readonly elements: number;
  readonly kept: number;
  readonly approximated: number;
  readonly dropped: number;
}

/** What became of the elements of one slide. */
export interface Account extends LossCounts {
  readonly losses: readonly Loss[];
}

export const NO_ACCOUNT: Account = {
  elements: 0,
  kept: 0,
  approximated: 0,
  dropped: 0,
  losses: [],
};

const TEXT_MAX = 200;

export function lossOf(
  of: Pick<Loss, 'slide' | 'kind'> & { readonly origin?: Origin | undefined },
  code: LossCode,
  { what, text }: { readonly what: string; readonly text?: string | undefined },
): Loss {
  const { origin, ...rest } = of;
  return {
    ...rest,
    ...(origin === undefined ? {} : { origin }),
    code,
    outcome: LOSSES[code][0],
    what,
    ...(text === undefined || text === '' ? {} : { text: text.slice(0, TEXT_MAX) }),
  };
}

/** What becomes of one element. */
export interface ElementLedger {
  /** Something of it is not as it was. Repeats of one code with one reason are one entry. */
  lose(code: LossCode, what: string, text?: string): void;
  /** All of it is gone. */
  drop(code: LossCode, what: string, text?: string): void;
}

/** Takes account of the elements of a slide, each from when it is met. */
export class Ledger {
  readonly #slide: number;
  readonly #losses: Loss[] = [];
  readonly #fates: ('kept' | Outcome)[] = [];

  /** From 1. */
  constructor(slide: number) {
    this.#slide = slide;
  }

  element(kind: LossKind, origin?: Origin): ElementLedger {
    const index = this.#fates.push('kept') - 1;
    const seen = new Set<string>();
    const enter = (code: LossCode, what: string, text: string | undefined): void => {
      if (seen.has(`${code} ${what}`)) return;
      seen.add(`${code} ${what}`);
      this.#losses.push(lossOf({ slide: this.#slide, kind, origin }, code, { what, text }));
    };
    return {
      lose: (code, what, text) => {
        if (this.#fates[index] === 'kept') this.#fates[index] = 'approximated';
        enter(code, what, text);
      },
      drop: (code, what, text) => {
        this.#fates[index] = 'dropped';
        enter(code, what, text);
      },
    };
  }

  close(): Account {
    const of = (fate: string): number => this.#fates.filter((one) => one === fate).length;
    return {
      elements: this.#fates.length,
      kept: of('kept'),
      approximated: of('approximated'),
      dropped: of('dropped'),
      losses: this.#losses,
    };
  }
}

/** What is told of losses beside a result. */
export interface LossSummary extends LossCounts {
  /** How many entries there are, by code. */
  readonly codes: Readonly<Record<string, number>>;
}

/** The accounts of all slides as one. */
export function totalOf(accounts: readonly Account[]): LossSummary & Pick<Account, 'losses'> {
  const sum = (of: keyof LossCounts): number =>
    accounts.reduce((total, account) => total + account[of], 0);
  const losses = accounts.flatMap((account) => account.losses);
  const codes: Record<string, number> = {};
  for (const { code } of losses) codes[code] = (codes[code] ?? 0) + 1;
  return {
    elements: sum('elements'),
    kept: sum('kept'),
    approximated: sum('approximated'),
    dropped: sum('dropped'),
    codes,
    losses,
  };
}

/** Why a strict job fails: the first losses that drop something, in words; null where none does. */
export function droppedIn(losses: readonly Loss[]): string | null {
  const dropped = losses.filter(({ outcome }) => outcome === 'dropped');
  if (dropped.length === 0) return null;
  const named = dropped
    .slice(0, 3)
    .map(({ slide, code, what }) => `slide ${slide}: ${what} (${code})`);
  const more = dropped.length > 3 ? ` and ${dropped.length - 3} more` : '';
  return `${named.join('; ')}${more}`;
}
