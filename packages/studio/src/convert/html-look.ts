import type { Run } from '../deck/deck.ts';
import { safeLink } from './drawing-text.ts';
import type { PieceLoss } from './flow.ts';

export type Look = Omit<Run, 'text'>;

/** What an element does to the text in it. */
export interface HtmlLook {
  readonly look: Look;
  /** What of it a deck does not have. */
  readonly losses: readonly PieceLoss[];
}

const LOOKS: Readonly<Record<string, Look>> = {
  b: { bold: true },
  strong: { bold: true },
  i: { italic: true },
  em: { italic: true },
  u: { underline: true },
  ins: { underline: true },
  s: { strike: true },
  del: { strike: true },
  strike: { strike: true },
  code: { code: true },
  kbd: { code: true },
  pre: { code: true },
  sub: { baseline: 'sub' },
  sup: { baseline: 'super' },
};

/** Elements whose look is another one in a deck. */
const STYLED: ReadonlySet<string> = new Set(['font', 'big', 'small', 'mark', 'center']);
/** Declarations whose look is another one in a deck. */
const DECLARED = new RegExp(
  '(?:^|;)\\s*(?:background(?:-color)?|color|font(?:-size|-family|-variant)?|' +
    'letter-spacing|text-(?:align|shadow|transform))\\s*:',
  'i',
);

const STYLE: PieceLoss = {
  code: 'STYLE_APPROXIMATED',
  what: 'sizes, fonts, colours and alignment of text are those of the deck',
};
const LINK: PieceLoss = { code: 'LINK_DROPPED', what: 'a link that leads nowhere outside' };

export function lookOfTag(name: string, attributes: ReadonlyMap<string, string>): HtmlLook {
  const isStyled = STYLED.has(name) || DECLARED.test(attributes.get('style') ?? '');
  const losses = isStyled ? [STYLE] : [];
  const href = name === 'a' ? attributes.get('href') : undefined;
  if (href === undefined) return { look: LOOKS[name] ?? {}, losses };
  const link = safeLink(href);
  return link === null ? { look: {}, losses: [...losses, LINK] } : { look: { link }, losses };
}

/** Elements that no slide can have, each with what it is. */
export const LOST_TAGS: Readonly<Record<string, readonly ['object' | 'image', PieceLoss]>> = {
  svg: ['image', { code: 'IMAGE_FORMAT_DROPPED', what: 'a drawing in the page is not kept' }],
  canvas: ['image', { code: 'IMAGE_FORMAT_DROPPED', what: 'a drawing by a script is not kept' }],
  math: ['object', { code: 'OBJECT_DROPPED', what: 'a formula is not kept' }],
  iframe: ['object', { code: 'OBJECT_DROPPED', what: 'a page in the page is not fetched' }],
  object: ['object', { code: 'OBJECT_DROPPED', what: 'an embedded object is not kept' }],
  embed: ['object', { code: 'OBJECT_DROPPED', what: 'an embedded object is not kept' }],
  video: ['object', { code: 'MEDIA_DROPPED', what: 'a video is not kept' }],
  audio: ['object', { code: 'MEDIA_DROPPED', what: 'sound is not kept' }],
};

/** Elements without an end of their own. */
export const VOID_TAGS =
  /^(?:input|meta|link|wbr|source|col|area|base|embed|track|img|br|hr|param)$/;
