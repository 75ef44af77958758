// Files that nobody would send by accident.
import { strToU8, zipSync } from 'fflate';
import {
  cfb,
  circlePdf,
  fixture,
  FLAGS_AT,
  type HostileFile,
  LAUGHS,
  noise,
  pdfOf,
  pptxWith,
  SIZE_AT,
  SLIDE,
  withEntry,
  withImage,
  withRelation,
  withSlide,
  zeros,
} from './hostile-parts.ts';
import { pngOf } from '../src/sample/png.ts';

type Made = readonly [what: string, name: string, bytes: Buffer, code: string | null];

/** Files that are not what their names say, or hardly anything. */
const lies = (): readonly Made[] => [
  ['an empty file', 'a.pptx', zeros(0), 'CONVERT_EMPTY'],
  ['blanks', 'a.md', Buffer.from(' \n\n '), 'CONVERT_EMPTY'],
  ['zeros', 'a.bin', zeros(5_000), 'CONVERT_UNSUPPORTED_FORMAT'],
  ['zeros called text', 'a.txt', zeros(5_000), 'CONVERT_UNSUPPORTED_FORMAT'],
  ['text called a presentation', 'a.pptx', Buffer.from('hello'), 'CONVERT_CORRUPTED'],
  ['text called a PDF', 'a.pdf', Buffer.from('hello'), 'CONVERT_CORRUPTED'],
  ['a program', 'a.exe', Buffer.from('MZ\0\0\0'), 'CONVERT_UNSUPPORTED_FORMAT'],
  ['an .rtf', 'a.rtf', Buffer.from('{\\rtf1}'), 'CONVERT_OFFICE_MISSING'],
  ['an old .ppt', 'a.ppt', cfb('PowerPoint Document'), 'CONVERT_OFFICE_MISSING'],
  ['an encrypted .pptx', 'a.pptx', cfb('EncryptedPackage'), 'CONVERT_PASSWORD_PROTECTED'],
  ['an encrypted PDF', 'a.pdf', fixture('harbour-locked.pdf'), 'CONVERT_PASSWORD_PROTECTED'],
  ['a presentation called a PDF', 'a.pdf', fixture('harbour.pptx'), null],
  ['a ZIP of nothing', 'a.zip', Buffer.from(zipSync({})), 'CONVERT_UNSUPPORTED_FORMAT'],
  [
    'a ZIP of text',
    'a.zip',
    Buffer.from(zipSync({ a: strToU8('a') })),
    'CONVERT_UNSUPPORTED_FORMAT',
  ],
  ['only the head of a PDF', 'a.pdf', Buffer.from('%PDF-1.7\n'), 'CONVERT_CORRUPTED'],
  [
    'a PDF of noise',
    'a.pdf',
    Buffer.concat([Buffer.from('%PDF-1.7\n'), noise(9_000)]),
    'CONVERT_CORRUPTED',
  ],
  ['a PDF that points at itself', 'a.pdf', circlePdf(), null],
  ['a PDF with a page too many', 'a.pdf', Buffer.from(pdfOf('/Count 99999999')), null],
  ['half a PDF', 'a.pdf', fixture('harbour.pdf').subarray(0, 16_000), null],
];

/** Presentations with parts that are missing, cut or wrong. */
const breaks = (): readonly Made[] => [
  [
    'half a presentation',
    'a.pptx',
    fixture('harbour.pptx').subarray(0, 18_000),
    'CONVERT_CORRUPTED',
  ],
  [
    'a presentation without its end',
    'a.pptx',
    fixture('harbour.pptx').subarray(0, -30),
    'CONVERT_CORRUPTED',
  ],
  ['a missing slide', 'a.pptx', pptxWith((parts) => delete parts[SLIDE]), 'CONVERT_CORRUPTED'],
  [
    'a missing main part',
    'a.pptx',
    pptxWith((parts) => delete parts['ppt/presentation.xml']),
    'CONVERT_CORRUPTED',
  ],
  [
    'a slide of noise',
    'a.pptx',
    pptxWith((parts) => (parts[SLIDE] = noise(3_000))),
    'CONVERT_CORRUPTED',
  ],
  ['a slide of nothing', 'a.pptx', withSlide(() => ''), 'CONVERT_CORRUPTED'],
  ['a slide that is cut', 'a.pptx', withSlide((xml) => xml.slice(0, 900)), 'CONVERT_CORRUPTED'],
  [
    'an image of 30 000 × 30 000',
    'a.pptx',
    withImage(pngOf(30_000, 30_000, zeros(10))),
    'CONVERT_TOO_LARGE',
  ],
  [
    'an image of 4 × 10⁹ pixels wide',
    'a.pptx',
    withImage(pngOf(0xffffffff, 1, zeros(10))),
    'CONVERT_TOO_LARGE',
  ],
  ['an image that is cut', 'a.pptx', withImage(pngOf(64, 40, zeros(5)).subarray(0, 60)), null],
  ['an image of noise', 'a.pptx', withImage(noise(2_000)), null],
];

/** Presentations made to exhaust or deceive whoever reads them. */
const traps = (): readonly Made[] => [
  [
    'a billion laughs',
    'a.pptx',
    withSlide((xml) => xml.replace('?>', `?>${LAUGHS}`)),
    'CONVERT_UNSAFE_CONTENT',
  ],
  [
    'a file of the host',
    'a.pptx',
    withSlide((xml) =>
      xml.replace('?>', '?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'),
    ),
    'CONVERT_UNSAFE_CONTENT',
  ],
  [
    'an entity of nowhere',
    'a.pptx',
    withSlide((xml) => xml.replace('<a:t>', '<a:t>&f;')),
    'CONVERT_CORRUPTED',
  ],
  [
    'a slide ten thousand deep',
    'a.pptx',
    withSlide((xml) => xml.replace('<p:sp>', '<p:grpSp>'.repeat(10_000))),
    'CONVERT_TOO_LARGE',
  ],
  [
    'a million shapes',
    'a.pptx',
    withSlide((xml) => xml.replace('<p:sp>', `${'<p:sp/>'.repeat(300_000)}<p:sp>`)),
    'CONVERT_TOO_LARGE',
  ],
];

/** Presentations whose parts are not where or what they claim. */
const claims = (): readonly Made[] => [
  [
    'a name that climbs',
    'a.pptx',
    pptxWith((parts) => (parts['ppt/../../../etc/passwd'] = strToU8('x'))),
    'CONVERT_UNSAFE_CONTENT',
  ],
  [
    'an absolute name',
    'a.pptx',
    pptxWith((parts) => (parts['/etc/passwd'] = strToU8('x'))),
    'CONVERT_UNSAFE_CONTENT',
  ],
  [
    'a name for Windows',
    'a.pptx',
    pptxWith((parts) => (parts['ppt\\a'] = strToU8('x'))),
    'CONVERT_UNSAFE_CONTENT',
  ],
  [
    'a target that climbs',
    'a.pptx',
    withRelation('../../../../etc/passwd'),
    'CONVERT_UNSAFE_CONTENT',
  ],
  [
    'a bomb of a slide',
    'a.pptx',
    pptxWith((parts) => (parts[SLIDE] = zeros(200_000_000))),
    'CONVERT_TOO_LARGE',
  ],
  [
    'a bomb that lies',
    'a.pptx',
    withEntry(
      pptxWith((parts) => (parts[SLIDE] = zeros(50_000_000))),
      SLIDE,
      (entry) => entry.writeUInt32LE(100, SIZE_AT),
    ),
    'CONVERT_TOO_LARGE',
  ],
  [
    'a locked entry',
    'a.pptx',
    withEntry(
      pptxWith(() => undefined),
      SLIDE,
      (entry) => entry.writeUInt16LE(1, FLAGS_AT),
    ),
    'CONVERT_PASSWORD_PROTECTED',
  ],
];

/** Text that parsers fall over. */
const tangles = (): readonly Made[] => [
  ['quotes ten thousand deep', 'a.md', Buffer.from('>'.repeat(10_000)), 'CONVERT_TOO_LARGE'],
  [
    'lists a thousand deep',
    'a.md',
    Buffer.from(Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i * 2)}- a`).join('\n')),
    null,
  ],
  ['brackets without end', 'a.md', Buffer.from('['.repeat(50_000)), 'CONVERT_TOO_LARGE'],
  ['stars without end', 'a.md', Buffer.from('*a_'.repeat(10_000)), 'CONVERT_TOO_LARGE'],
  ['many stars', 'a.md', Buffer.from('*a_'.repeat(900)), null],
  ['tags without end', 'a.html', Buffer.from('<div>'.repeat(200_000) + 'x'), null],
  ['open quotes', 'a.html', Buffer.from('<p title="'.repeat(20_000)), null],
  ['a script', 'a.html', Buffer.from('<script>while(1);</script><h1>x</h1>'), null],
  [
    'an image from the network',
    'a.html',
    Buffer.from('<img src="http://127.0.0.1:1/x.png" alt="no"><h1>x</h1>'),
    null,
  ],
  ['ten megabytes of text', 'a.txt', Buffer.alloc(10_000_000, 'word '), 'CONVERT_TOO_LARGE'],
  ['one line of five megabytes', 'a.txt', Buffer.alloc(5_000_000, 'a'), 'CONVERT_TOO_LARGE'],
];

/** All of them, with the code they must fail with; null where they may as well succeed. */
export function handMade(): readonly (HostileFile & { readonly code: string | null })[] {
  return [...lies(), ...breaks(), ...traps(), ...claims(), ...tangles()].map(
    ([what, name, bytes, code]) => ({
      what,
      name,
      bytes,
      code,
    }),
  );
}
