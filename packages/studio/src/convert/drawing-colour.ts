// Colours of DrawingML: names of the theme, changed step by step.
import type { Solid, ThemeColour } from '../deck/look.ts';
import type { Scheme } from './office-theme.ts';
import { attributeOf, childrenOf, numberOf, type XmlElement } from './xml.ts';

const NAMES: Readonly<Record<string, ThemeColour>> = {
  tx1: 'text',
  dk1: 'text',
  bg1: 'background',
  lt1: 'background',
  tx2: 'text2',
  dk2: 'text2',
  bg2: 'background2',
  lt2: 'background2',
  accent1: 'accent1',
  accent2: 'accent2',
  accent3: 'accent3',
  accent4: 'accent4',
  accent5: 'accent5',
  accent6: 'accent6',
  hlink: 'link',
  folHlink: 'visited',
};

/** The colours by name that files use; the rest of the list is that of style sheets. */
const PRESETS: Readonly<Record<string, string>> = {
  black: '#000000',
  white: '#FFFFFF',
  red: '#FF0000',
  green: '#008000',
  lime: '#00FF00',
  blue: '#0000FF',
  yellow: '#FFFF00',
  orange: '#FFA500',
  gray: '#808080',
  grey: '#808080',
  silver: '#C0C0C0',
  navy: '#000080',
  teal: '#008080',
  purple: '#800080',
  maroon: '#800000',
  olive: '#808000',
  aqua: '#00FFFF',
  cyan: '#00FFFF',
  fuchsia: '#FF00FF',
  magenta: '#FF00FF',
  ltGray: '#D3D3D3',
  dkGray: '#A9A9A9',
  brown: '#A52A2A',
  pink: '#FFC0CB',
  gold: '#FFD700',
};

type Channels = readonly [number, number, number];

function channelsOf(colour: string): Channels {
  const value = Number.parseInt(colour.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

function hexOf(channels: readonly number[]): string {
  const bytes = channels.map((one) => Math.round(Math.min(1, Math.max(0, one)) * 255));
  return `#${bytes.map((one) => one.toString(16).padStart(2, '0')).join('')}`.toUpperCase();
}

function hslOf([red, green, blue]: Channels): Channels {
  const [high, low] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const light = (high + low) / 2;
  const span = high - low;
  if (span === 0) return [0, 0, light];
  const saturation = span / (1 - Math.abs(2 * light - 1));
  const sector =
    high === red
      ? ((green - blue) / span + 6) % 6
      : high === green
        ? (blue - red) / span + 2
        : (red - green) / span + 4;
  return [sector / 6, saturation, light];
}

function rgbOf([hue, saturation, light]: Channels): Channels {
  const chroma = saturation * Math.min(light, 1 - light);
  const channel = (offset: number): number => {
    const at = (offset + hue * 12) % 12;
    return light - chroma * Math.max(-1, Math.min(at - 3, 9 - at, 1));
  };
  return [channel(0), channel(8), channel(4)];
}

const clip = (value: number): number => Math.min(1, Math.max(0, value));

/** One step of a colour's change; null for those that only concern what shows through. */
function changed(channels: Channels, name: string, share: number): Channels | null {
  const [hue, saturation, light] = hslOf(channels);
  switch (name) {
    case 'lumMod':
      return rgbOf([hue, saturation, clip(light * share)]);
    case 'lumOff':
      return rgbOf([hue, saturation, clip(light + share)]);
    case 'satMod':
      return rgbOf([hue, clip(saturation * share), light]);
    case 'satOff':
      return rgbOf([hue, clip(saturation + share), light]);
    case 'hueOff':
      return rgbOf([(((hue + (share * 100_000) / 21_600_000) % 1) + 1) % 1, saturation, light]);
    case 'tint':
      return inLight(channels, (one) => one * share + (1 - share));
    case 'shade':
      return inLight(channels, (one) => one * share);
    case 'inv':
      return channels.map((one) => 1 - one) as unknown as Channels;
    case 'gray':
      return [light, light, light];
    default:
      return null;
  }
}

/** Office programs mix with white and black by light, not by the numbers of a screen. */
function inLight(channels: Channels, change: (one: number) => number): Channels {
  const mixed = channels.map((one) => {
    const light = one <= 0.040_45 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4;
    const to = change(light);
    return to <= 0.003_130_8 ? to * 12.92 : 1.055 * to ** (1 / 2.4) - 0.055;
  });
  return mixed as unknown as Channels;
}

function baseOf(element: XmlElement, scheme: Scheme, placeholder: string | null): string | null {
  const value = attributeOf(element, 'val') ?? '';
  switch (element.localName) {
    case 'srgbClr':
      return /^[0-9A-Fa-f]{6}$/.test(value) ? `#${value.toUpperCase()}` : null;
    case 'sysClr': {
      const last = attributeOf(element, 'lastClr') ?? '';
      if (/^[0-9A-Fa-f]{6}$/.test(last)) return `#${last.toUpperCase()}`;
      return value === 'window' ? '#FFFFFF' : '#000000';
    }
    case 'schemeClr':
      return value === 'phClr' ? placeholder : (scheme.get(value) ?? null);
    case 'prstClr':
      return PRESETS[value.replace(/^(lt|light)(?=[A-Z])/, '')] ?? PRESETS[value] ?? '#808080';
    case 'scrgbClr':
      return hexOf(
        ['r', 'g', 'b'].map((one) => (numberOf(element, one, 0) / 100_000) ** (1 / 2.2)),
      );
    case 'hslClr': {
      const hue = numberOf(element, 'hue', 0) / 21_600_000;
      return hexOf(
        rgbOf([hue, numberOf(element, 'sat', 0) / 100_000, numberOf(element, 'lum', 0) / 100_000]),
      );
    }
    default:
      return null;
  }
}

/** The colour that one of the children of an element names; null where none can be told. */
export function colourIn(
  parent: XmlElement | null,
  scheme: Scheme,
  placeholder: string | null = null,
): Solid | null {
  for (const element of childrenOf(parent)) {
    const base = baseOf(element, scheme, placeholder);
    if (base === null) continue;
    let channels = channelsOf(base);
    let opacity = 1;
    let isChanged = false;
    for (const step of childrenOf(element)) {
      const share = numberOf(step, 'val', 100_000) / 100_000;
      if (step.localName === 'alpha') opacity = clip(share);
      const next = changed(channels, step.localName ?? '', share);
      if (next === null) continue;
      channels = next;
      isChanged = true;
    }
    const name =
      element.localName === 'schemeClr' ? NAMES[attributeOf(element, 'val') ?? ''] : undefined;
    return {
      colour: isChanged ? hexOf(channels) : base,
      ...(name === undefined || isChanged ? {} : { theme: name }),
      ...(opacity < 1 ? { opacity: Math.round(opacity * 1000) / 1000 } : {}),
    };
  }
  return null;
}
