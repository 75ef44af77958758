// What looks mean in numbers, the same for every pen.
import type { Box } from '../deck/deck.ts';
import type { Crop, Line } from '../deck/look.ts';
import type { Point } from './pen.ts';

const DASHES: Readonly<Record<NonNullable<Line['dash']>, readonly number[]>> = {
  dot: [1, 3],
  dash: [4, 3],
  longDash: [8, 3],
  dashDot: [4, 3, 1, 3],
  longDashDot: [8, 3, 1, 3],
  longDashDotDot: [8, 3, 1, 3, 1, 3],
};

/** The lengths of dashes and gaps, in points. */
export function dashOf({ dash, width }: Line): number[] {
  return dash === undefined ? [] : DASHES[dash].map((part) => part * Math.max(width, 0.75));
}

/** From where to where a gradient reaches in a box. */
export function gradientEnds(angle: number, { x, y, width, height }: Box): readonly [Point, Point] {
  const turn = (angle * Math.PI) / 180;
  const half = (Math.abs(width * Math.cos(turn)) + Math.abs(height * Math.sin(turn))) / 2;
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const [alongX, alongY] = [half * Math.cos(turn), half * Math.sin(turn)];
  return [
    [middleX - alongX, middleY - alongY],
    [middleX + alongX, middleY + alongY],
  ];
}

/** Where the whole picture lies, so that what is left of it fills the box. */
export function cropped(box: Box, crop: Crop | undefined): Box {
  if (crop === undefined) return box;
  const width = box.width / Math.max(0.001, 1 - crop.left - crop.right);
  const height = box.height / Math.max(0.001, 1 - crop.top - crop.bottom);
  return { x: box.x - crop.left * width, y: box.y - crop.top * height, width, height };
}
