import type { Phase } from '../core/phase.ts';

interface Ink {
  readonly fill: string;
  readonly line: string;
}

interface Theme {
  readonly ground: string;
  readonly text: string;
  readonly quiet: string;
  readonly wire: string;
  readonly phases: Readonly<Record<Phase, Ink>>;
}

const LIGHT: Theme = {
  ground: '#ffffff',
  text: '#1b1f24',
  quiet: '#545d68',
  wire: '#6e7781',
  phases: {
    held: { fill: '#eef0f2', line: '#6e7781' },
    ready: { fill: '#ddeeff', line: '#0b69c7' },
    leased: { fill: '#e6e4fb', line: '#5e4fc2' },
    executing: { fill: '#fff3c9', line: '#9a6b00' },
    waiting: { fill: '#ffe6d1', line: '#b3510b' },
    succeeded: { fill: '#dcf5e0', line: '#1a7f37' },
    failed: { fill: '#ffe2e0', line: '#c4242b' },
    cancelled: { fill: '#e7e9ec', line: '#4c5561' },
    dead: { fill: '#f6dff0', line: '#99286e' },
  },
};

const DARK: Theme = {
  ground: '#12161c',
  text: '#e9edf1',
  quiet: '#a5afba',
  wire: '#8b95a1',
  phases: {
    held: { fill: '#262c34', line: '#8b95a1' },
    ready: { fill: '#0f2b4a', line: '#58a6f5' },
    leased: { fill: '#28234f', line: '#a397f5' },
    executing: { fill: '#3b2e05', line: '#e0b02e' },
    waiting: { fill: '#43240c', line: '#f2924b' },
    succeeded: { fill: '#10331b', line: '#4cc267' },
    failed: { fill: '#451718', line: '#ff7d78' },
    cancelled: { fill: '#2b3138', line: '#9ba5b1' },
    dead: { fill: '#421732', line: '#ec83c1' },
  },
};

/** The class of every picture: its rules touch nothing else on a page that shows it inline. */
export const ROOT_CLASS = 'pawl-lifecycle';

function rulesOf(theme: Theme): readonly string[] {
  const phases = Object.entries(theme.phases).map(
    ([phase, { fill, line }]) => `.box.${phase}{fill:${fill};stroke:${line}}`,
  );
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
  const dark = rulesOf(DARK).join('');
  return `${[...SHAPES, ...rulesOf(LIGHT)].join('')}@media(prefers-color-scheme:dark){${dark}}`;
}
