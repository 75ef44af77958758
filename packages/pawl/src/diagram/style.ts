import type { Phase } from '../core/phase.ts';

type Ground = 'light' | 'dark';

type Ink = readonly [fill: string, line: string];

interface Theme {
  readonly ground: string;
  readonly text: string;
  readonly quiet: string;
  readonly wire: string;
}

const THEMES: Readonly<Record<Ground, Theme>> = {
  light: { ground: '#ffffff', text: '#1b1f24', quiet: '#545d68', wire: '#6e7781' },
  dark: { ground: '#12161c', text: '#e9edf1', quiet: '#a5afba', wire: '#8b95a1' },
};

/** Of each phase: what fills its box and what surrounds it, on a light and on a dark ground. */
const INKS: Readonly<Record<Phase, Readonly<Record<Ground, Ink>>>> = {
  held: { light: ['#eef0f2', '#6e7781'], dark: ['#262c34', '#8b95a1'] },
  ready: { light: ['#ddeeff', '#0b69c7'], dark: ['#0f2b4a', '#58a6f5'] },
  leased: { light: ['#e6e4fb', '#5e4fc2'], dark: ['#28234f', '#a397f5'] },
  executing: { light: ['#fff3c9', '#9a6b00'], dark: ['#3b2e05', '#e0b02e'] },
  waiting: { light: ['#ffe6d1', '#b3510b'], dark: ['#43240c', '#f2924b'] },
  succeeded: { light: ['#dcf5e0', '#1a7f37'], dark: ['#10331b', '#4cc267'] },
  failed: { light: ['#ffe2e0', '#c4242b'], dark: ['#451718', '#ff7d78'] },
  cancelled: { light: ['#e7e9ec', '#4c5561'], dark: ['#2b3138', '#9ba5b1'] },
  dead: { light: ['#f6dff0', '#99286e'], dark: ['#421732', '#ec83c1'] },
};

/** The class of every picture: its rules touch nothing else on a page that shows it inline. */
export const ROOT_CLASS = 'pawl-lifecycle';

function rulesOf(ground: Ground): readonly string[] {
  const theme = THEMES[ground];
  const phases = Object.entries(INKS).map(([phase, { [ground]: ink }]) => {
    const [fill, line] = ink;
    return `.box.${phase}{fill:${fill};stroke:${line}}`;
  });
  const rules = [
    `.ground{fill:${theme.ground}}`,
    `text{fill:${theme.text}}`,
    `.quiet{fill:${theme.quiet}}`,
    `.wire{stroke:${theme.wire}}`,
    `.head{fill:${theme.wire}}`,
    `.halo{stroke:${theme.ground}}`,
    `.taken .wire{stroke:${theme.text}}`,
    `.taken .head{fill:${theme.text}}`,
    `.ring{stroke:${theme.text}}`,
  ];
  return [...rules, ...phases].map((rule) => `.${ROOT_CLASS} ${rule}`);
}

const SHAPES: readonly string[] = [
  'text{font-family:system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}',
  '.title{font-size:15px;font-weight:600}',
  '.name{font-size:14px;font-weight:600;text-anchor:middle}',
  '.phases{font-size:10.5px;text-anchor:middle}',
  '.extra{font-size:11px;font-weight:600;text-anchor:middle}',
  '.label{font-size:12px}',
  '.halo{stroke-width:4;stroke-linejoin:round;paint-order:stroke}',
  '.legend{font-size:11px}',
  '.box{stroke-width:1.5}',
  '.inner{fill:none}',
  '.ring{fill:none;stroke-width:2.5}',
  '.wire{fill:none;stroke-width:1.5}',
  '.new-epoch .wire{stroke-dasharray:6 4}',
  '.taken .wire{stroke-width:2.75}',
  '.faded{opacity:.45}',
].map((rule) => `.${ROOT_CLASS} ${rule}`);

/** Plain rules, no variables: some viewers of SVG know none. */
export function styleSheet(): string {
  const dark = rulesOf('dark').join('');
  return `${[...SHAPES, ...rulesOf('light')].join('')}@media(prefers-color-scheme:dark){${dark}}`;
}
