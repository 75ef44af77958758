import type { Box } from '../deck/deck.ts';
import type { Face } from './face.ts';

/** A point of the slide. */
export type Point = readonly [x: number, y: number];

/** How text is drawn. */
export interface Ink {
  readonly face: Face;
  readonly size: number;
  readonly colour: string;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly link?: string;
}

/** How wide a text is at a size. */
export type Measure = (text: string, face: Face, size: number) => number;

/**
 * What a part of a slide is, for readers that do not see it. Tables and rows have parts in them;
 * items and quotes are as deep as their level.
 */
export interface Part {
  readonly role:
    | 'H1'
    | 'H2'
    | 'P'
    | 'LI'
    | 'Lbl'
    | 'LBody'
    | 'Table'
    | 'TR'
    | 'TH'
    | 'TD'
    | 'Figure'
    | 'Artifact';
  readonly depth?: number;
  readonly alt?: string;
}

/** What a slide is drawn with, on pixels or on a page. */
export interface Pen {
  /** Whatever `paint` draws belongs to this part. */
  part(part: Part, paint: () => void): void;
  rectangle(box: Box, colour: string): void;
  polygon(points: readonly Point[], colour: string): void;
  line(points: readonly Point[], colour: string, width: number): void;
  /** From the left end of the text's base line. */
  text(text: string, at: Point, ink: Ink): void;
  image(asset: string, box: Box): void;
}
