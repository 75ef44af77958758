import type { Theme } from './deck.ts';

/** For sources that bring no theme of their own. */
export const defaultTheme: Theme = {
  colours: {
    background: '#FFFFFF',
    text: '#1F2937',
    accents: ['#2563EB', '#0D9488', '#D97706', '#DC2626', '#7C3AED', '#475569'],
  },
  fonts: { heading: 'Calibri', body: 'Calibri' },
};

/** A wide screen, in points. */
export const WIDE_SIZE: { readonly width: number; readonly height: number } = {
  width: 960,
  height: 540,
};

type Rgb = readonly [number, number, number];

function rgbOf(colour: string): Rgb {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A colour that lets some of what is below show, as style sheets write it. */
export function rgbaOf(colour: string, opacity: number): string {
  if (opacity >= 1) return colour;
  return `rgba(${rgbOf(colour).join(', ')}, ${opacity})`;
}

/** One colour with a share of another in it. */
export function mix(colour: string, other: string, share: number): string {
  const [one, two] = [rgbOf(colour), rgbOf(other)];
  const channels = one.map((from, index) => Math.round(from + (two[index]! - from) * share));
  return `#${channels.map((part) => part.toString(16).padStart(2, '0')).join('')}`.toUpperCase();
}

/** Whether white reads better on it than black. */
export function isDark(colour: string): boolean {
  const [red, green, blue] = rgbOf(colour);
  return 0.299 * red + 0.587 * green + 0.114 * blue < 140;
}
