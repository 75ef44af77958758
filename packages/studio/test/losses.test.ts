// What a conversion says of what it loses: one entry for each planted thing, none for a clean file.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Loss } from '../src/deck/losses.ts';
import type { ExportResult } from '../src/export/job.ts';
import { resultOf, sharedStudio } from './fixture.ts';
import { resultOf as returnedBy } from './job-fixture.ts';
import { accountOf, deckWith, ONE_OF_EACH, type Plant, plantedIn, pptxOf } from './planted.ts';

const SLIDE = 'ppt/slides/slide1.xml';
const RELATIONS = 'ppt/slides/_rels/slide1.xml.rels';
const CHART = 'ppt/charts/chart.xml';

const inSlide = (from: RegExp | string, to: string): Plant => ({
  parts: { [SLIDE]: (xml) => xml.replace(from, to) },
});

const SLIDES = 'http://schemas.openxmlformats.org/presentationml/2006/main';
const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const COMMENT_PART = '../comments/comment1.xml';
const COMMENT = `<Relationship Id="rIdC" Type="${TYPES}/comments" Target="${COMMENT_PART}"/>`;
const SHAPE_END = /(<a:prstDash val="dash"\/><a:round\/><\/a:ln>)/;

/** What is planted, the code of its loss, and whether anything is dropped. */
const PLANTS: Readonly<Record<string, readonly [Plant, string]>> = {
  'a glow': [
    inSlide(
      SHAPE_END,
      '$1<a:effectLst><a:glow rad="63500"><a:srgbClr val="FF0000"/></a:glow></a:effectLst>',
    ),
    'SHAPE_EFFECT_DROPPED',
  ],
  'a bevel': [inSlide(SHAPE_END, '$1<a:sp3d><a:bevelT/></a:sp3d>'), 'SHAPE_EFFECT_DROPPED'],
  'an unknown shape': [
    inSlide('prst="roundRect"', 'prst="spaceship"'),
    'SHAPE_GEOMETRY_APPROXIMATED',
  ],
  'a pattern': [
    inSlide(
      '<a:solidFill><a:schemeClr val="accent1"/></a:solidFill>',
      '<a:pattFill prst="pct5"><a:fgClr><a:srgbClr val="FF0000"/></a:fgClr></a:pattFill>',
    ),
    'SHAPE_FILL_APPROXIMATED',
  ],
  'a double line': [
    inSlide('<a:ln w="25400">', '<a:ln w="25400" cmpd="dbl">'),
    'SHAPE_LINE_APPROXIMATED',
  ],
  'bent letters': [
    inSlide(/<a:noAutofit\/>/, '<a:prstTxWarp prst="textArchUp"/><a:noAutofit/>'),
    'TEXT_EFFECT_DROPPED',
  ],
  'two columns of text': [inSlide('rtlCol="0"', 'rtlCol="0" numCol="2"'), 'TEXT_COLUMNS_DROPPED'],
  'a link within the file': [
    inSlide(
      /(<\/a:rPr><a:t>Plain words)/,
      '<a:hlinkClick r:id="" action="ppaction://hlinkshowjump?jump=nextslide"/>$1',
    ),
    'LINK_DROPPED',
  ],
  'an animation': [
    inSlide(
      '</p:sld>',
      '<p:timing><p:tnLst><p:par><p:animEffect/></p:par></p:tnLst></p:timing></p:sld>',
    ),
    'ANIMATION_DROPPED',
  ],
  'a transition': [
    inSlide('</p:sld>', '<p:transition><p:fade/></p:transition></p:sld>'),
    'TRANSITION_DROPPED',
  ],
  'a comment': [
    {
      parts: {
        'ppt/comments/comment1.xml': () =>
          `<p:cmLst xmlns:p="${SLIDES}"><p:cm><p:text>Check this</p:text></p:cm></p:cmLst>`,
        [RELATIONS]: (xml) => xml.replace('</Relationships>', `${COMMENT}</Relationships>`),
      },
    },
    'COMMENT_DROPPED',
  ],
  'a picture in grey': [inSlide(/<\/a:blip>/, '<a:grayscl/></a:blip>'), 'IMAGE_EFFECT_DROPPED'],
  'a picture elsewhere': [
    {
      parts: {
        [RELATIONS]: (xml) =>
          xml.replace(
            /Target="[^"]*\.png"/,
            'Target="https://example.org/a.png" TargetMode="External"',
          ),
      },
    },
    'IMAGE_EXTERNAL_DROPPED',
  ],
  'a video': [
    inSlide(
      /(<p:pic>.*?<p:nvPr)\s*(?:\/>|><\/p:nvPr>)/s,
      '$1><a:videoFile r:link="rId9"/></p:nvPr>',
    ),
    'MEDIA_DROPPED',
  ],
  'a table style by name': [
    inSlide(
      /<a:tblPr firstRow="1"\/>/,
      '<a:tblPr firstRow="1"><a:tableStyleId>{0}</a:tableStyleId></a:tblPr>',
    ),
    'TABLE_STYLE_APPROXIMATED',
  ],
  'a radar chart': [
    { parts: { [CHART]: (xml) => xml.replaceAll('barChart>', 'radarChart>') } },
    'CHART_TYPE_APPROXIMATED',
  ],
  'a trend line': [
    {
      parts: {
        [CHART]: (xml) =>
          xml.replace(
            '<c:cat>',
            '<c:trendline><c:trendlineType val="linear"/></c:trendline><c:cat>',
          ),
      },
    },
    'CHART_FEATURE_DROPPED',
  ],
  'an unknown chart': [
    { parts: { [CHART]: (xml) => xml.replaceAll('barChart>', 'sunburstChart>') } },
    'CHART_DROPPED',
  ],
};

describe('the losses of a presentation', () => {
  test('are none where everything is kept', async () => {
    const account = await accountOf(await pptxOf(ONE_OF_EACH));
    assert.deepEqual(account.losses, []);
    assert.deepEqual([account.elements, account.kept], [7, 7]);
  });

  test('are one entry for each thing that is planted, by its code, and all elements add up', async () => {
    const file = await pptxOf(ONE_OF_EACH);
    const clean = await accountOf(file);
    for (const [what, [plant, code]] of Object.entries(PLANTS)) {
      const { losses, elements, kept, approximated, dropped } = await accountOf(
        plantedIn(file, plant),
      );
      assert.deepEqual(
        losses.map((loss) => loss.code),
        [code],
        what,
      );
      assert.equal(kept + approximated + dropped, elements, what);
      assert.equal(approximated + dropped, 1, what);
      assert.ok(elements >= clean.elements, what);
      const [{ slide, kind, what: words }] = losses as [Loss];
      assert.ok(slide === 1 && kind !== undefined && words.length > 10, what);
    }
  });
});

const studio = sharedStudio();

describe('a job that converts or exports', () => {
  test('keeps losses.json and counts beside its result, and none for a clean file', async () => {
    const opened = await studio();
    const clean = await pptxOf(ONE_OF_EACH);
    const counts = [];
    for (const file of [clean, plantedIn(clean, PLANTS['a glow']![0])]) {
      const job = await opened.run('convert', { assetRef: await opened.upload('a.pptx', file) });
      const { losses } = resultOf(job);
      const { lossesRef, ...summary } = losses;
      const kept = JSON.parse((await opened.read(lossesRef)).toString()) as typeof summary & {
        losses: readonly Loss[];
      };
      const { losses: entries, ...told } = kept;
      assert.deepEqual(told, summary);
      counts.push([summary.elements, summary.kept, summary.approximated, entries.length]);
      if (entries.length === 0) continue;
      const [{ slide, kind, code, outcome, origin }] = entries as [Loss];
      assert.deepEqual(
        [slide, kind, code, outcome],
        [1, 'shape', 'SHAPE_EFFECT_DROPPED', 'dropped'],
      );
      assert.equal(origin?.part, SLIDE);
    }
    assert.deepEqual(counts, [
      [7, 7, 0, 0],
      [7, 6, 1, 1],
    ]);
  });

  test('fails by CONVERT_LOSSES where it is strict and anything would be dropped', async () => {
    const opened = await studio();
    const clean = await pptxOf(ONE_OF_EACH);
    const strictly = async (file: Uint8Array) =>
      opened.run('convert', { assetRef: await opened.upload('a.pptx', file), strict: true });
    assert.equal((await strictly(clean)).state, 'succeeded');
    const failed = await strictly(plantedIn(clean, PLANTS['a transition']![0]));
    assert.deepEqual(
      [failed.state, failed.attempts, failed.error?.code],
      ['failed', 1, 'CONVERT_LOSSES'],
    );
    assert.match(
      failed.error!.message,
      /slide 1: the transition is not kept \(TRANSITION_DROPPED\)/,
    );
    const page = { sourceType: 'html', name: 'a.html', strict: true };
    const text = '<h1>A</h1><img src="https://example.org/a.png">';
    const lossy = await opened.run('convert', { ...page, text });
    assert.match(lossy.error!.message, /IMAGE_EXTERNAL_DROPPED/);
    // What is only approximated is no reason.
    const double = plantedIn(clean, PLANTS['a double line']![0]);
    assert.equal((await strictly(double)).state, 'succeeded');
  });

  test('reports what a file cannot have, and fails by EXPORT_LOSSES where it is strict', async () => {
    const opened = await studio();
    const shadow = { colour: '#000000', blur: 4, distance: 3, angle: 45 };
    const shape = {
      kind: 'shape' as const,
      geometry: { preset: 'rect' },
      fill: { colour: '#FFCC00' },
    };
    const box = { x: 40, y: 40, width: 100, height: 100 };
    const deck = deckWith({ layout: 'blank', blocks: [{ ...shape, box, shadow }] });
    const codesOf = async (input: object): Promise<unknown> => {
      const job = await opened.run('export', input);
      return returnedBy<ExportResult>(job).losses.codes;
    };
    assert.deepEqual(await codesOf({ deck, format: 'pptx' }), {});
    assert.deepEqual(await codesOf({ deck, format: 'pdf' }), { SHADOW_APPROXIMATED: 1 });
    const glyph = { level: 0, runs: [{ text: 'Unwritten: \u{13000}' }] };
    const missing = deckWith({ layout: 'blank', blocks: [{ kind: 'text', paragraphs: [glyph] }] });
    assert.deepEqual(await codesOf({ deck: missing, format: 'pdf' }), { GLYPH_MISSING: 1 });
    const failed = await opened.run('export', { deck: missing, format: 'pdf', strict: true });
    assert.equal(failed.error?.code, 'EXPORT_LOSSES');
  });
});

describe('an export', () => {
  const PLAIN = [{ level: 0, runs: [{ text: 'Say hello' }] }];
  const BOLD = [{ level: 0, runs: [{ text: 'Say hello', bold: true as const }] }];
  const TITLE = { layout: 'title' as const, title: [{ text: 'One' }], blocks: [] };

  test('keeps notes as it was asked to, and says of a hidden slide that a PDF shows it', async () => {
    const opened = await studio();
    const codesOf = async (slide: object, input: object): Promise<unknown> => {
      const deck = deckWith({ ...TITLE, ...slide });
      const job = await opened.run('export', { deck, ...input });
      const { codes, elements, kept, approximated, dropped } = returnedBy<ExportResult>(job).losses;
      assert.equal(kept + approximated + dropped, elements);
      return codes;
    };
    const cases: readonly [object, object, object][] = [
      [{ notes: PLAIN }, { format: 'pptx' }, {}],
      [{ notes: PLAIN }, { format: 'pdf', withNotes: true }, {}],
      [{ notes: PLAIN }, { format: 'pdf' }, { NOTES_DROPPED: 1 }],
      [{ notes: BOLD }, { format: 'pptx' }, { NOTES_LOOK_APPROXIMATED: 1 }],
      [{ hidden: true }, { format: 'pptx' }, {}],
      [{ hidden: true }, { format: 'pdf' }, { HIDDEN_SLIDE_SHOWN: 1 }],
    ];
    for (const [slide, input, codes] of cases) assert.deepEqual(await codesOf(slide, input), codes);
  });
});
