import type { Block, Box, Deck, Theme } from '../deck/deck.ts';
import type { Ledger } from '../deck/losses.ts';
import type { Draft } from './draft.ts';
import type { FoundImage } from './image.ts';
import type { Shape, SlideParts } from './pptx-shapes.ts';
import type { XmlElement } from './xml.ts';

/** Where a slide is, and what all slides share. */
export interface SlideOptions {
  readonly part: string;
  /** From 1. */
  readonly number: number;
  readonly theme: Theme;
  readonly size: Deck['size'];
  readonly defaults: XmlElement | null;
  readonly tableStyles: XmlElement | null;
}

/** A slide as it is read. */
export interface Reading {
  readonly draft: Draft;
  readonly images: FoundImage[];
  readonly ledger: Ledger;
  readonly parts: SlideParts;
  readonly options: SlideOptions;
  /** What text has anyway; empty where every colour has to be said. */
  usualColour: string;
}

/** Adds a shape to the slide. */
export type AddShape = (shape: Shape, reading: Reading, role?: Block['role']) => void;

/** What every block of a shape has: where it is, how it is turned, and where it came from. */
export function placeOf(shape: Shape, role?: Block['role']) {
  const { box, rotation, flip, group, origin } = shape;
  return {
    ...(box === null ? {} : { box }),
    ...(rotation === 0 ? {} : { rotation }),
    ...(flip === null ? {} : { flip }),
    ...(group === null ? {} : { group }),
    ...(role === undefined ? {} : { role }),
    origin,
  };
}

/** The box of a shape, or all of the slide. */
export function boxOr({ box }: Shape, { options }: Reading): Box {
  return box ?? { x: 0, y: 0, ...options.size };
}
