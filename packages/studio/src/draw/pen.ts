import type { Box } from '../deck/deck.ts';
import type { Crop, Fill, Line, Shadow } from '../deck/look.ts';
import type { Path, Step } from '../deck/outline.ts';
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
  /** Whether the text, which has one direction, runs from right to left. */
  readonly isRtl?: boolean;
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
  /** Its text in reading order, where that is not how it is drawn. */
  readonly actual?: string;
}

/** How something is turned about the middle of a box. */
export interface Turn {
  readonly box: Box;
  readonly rotation?: number | undefined;
  readonly flip?: 'horizontal' | 'vertical' | 'both' | undefined;
  readonly opacity?: number | undefined;
}

/** What a path looks like. */
export interface PathLook {
  /** The box of the shape, which gradients reach over. */
  readonly box: Box;
  readonly fill?: Fill | undefined;
  readonly line?: Line | undefined;
  readonly shadow?: Shadow | undefined;
}

export interface ImageLook {
  readonly crop?: Crop | undefined;
  /** Only what is inside of these steps is seen. */
  readonly clip?: readonly Step[] | undefined;
}

/** What a slide is drawn with, on pixels or on a page. */
export interface Pen {
  /** Whatever `paint` draws belongs to this part. */
  part(part: Part, paint: () => void): void;
  /** Whatever `paint` draws is turned, mirrored and as pale as it says. */
  turned(turn: Turn, paint: () => void): void;
  rectangle(box: Box, colour: string): void;
  polygon(points: readonly Point[], colour: string): void;
  line(points: readonly Point[], colour: string, width: number): void;
  /** A path with its upper left corner at that of the box. */
  path(path: Path, look: PathLook): void;
  /** From the left end of the text's base line. */
  text(text: string, at: Point, ink: Ink): void;
  image(asset: string, box: Box, look?: ImageLook): void;
}
