import type { SourceType } from '../deck/deck.ts';
import { lossOf } from '../deck/losses.ts';
import { findOffice, type OfficeAnswer, runOffice } from '../office/run-office.ts';
import { openDocx } from './docx.ts';
import type { FoundSlide, OpenSource } from './draft.ts';
import { openHtml } from './html.ts';
import { openPptx } from './pptx.ts';
import { refuse } from './refusal.ts';

/** Sheets as it writes them: a list of all first, each below its name, with a look of its own. */
const openSheets: OpenSource = (bytes, options) => {
  const html = Buffer.from(bytes)
    .toString()
    .replace(/<style[\s\S]*?<\/style>/i, '')
    .replace(/<p><center>\s*<h1>Overview<\/h1>[\s\S]*?<\/center><\/p>/i, '')
    .replaceAll(/<a name="table\d+"><h1>[^<]*<em>([^<]*)<\/em><\/h1><\/a>/gi, '<h1>$1</h1>');
  return openHtml(Buffer.from(html), options);
};

/** What LibreOffice makes of each type, and what reads it then. */
const WAYS = {
  odp: ['pptx:Impress MS PowerPoint 2007 XML', openPptx],
  ppt: ['pptx:Impress MS PowerPoint 2007 XML', openPptx],
  odt: ['docx:MS Word 2007 XML', openDocx],
  doc: ['docx:MS Word 2007 XML', openDocx],
  rtf: ['docx:MS Word 2007 XML', openDocx],
  ods: ['html:HTML (StarCalc):EmbedImages', openSheets],
  xlsx: ['html:HTML (StarCalc):EmbedImages', openSheets],
  xls: ['html:HTML (StarCalc):EmbedImages', openSheets],
} as const satisfies Partial<Record<SourceType, readonly [string, OpenSource]>>;

export type OfficeType = keyof typeof WAYS;

/** Opens a file of a type that LibreOffice can make into one that is read here. */
export function openByOffice(type: OfficeType): OpenSource {
  return async (bytes, options) => {
    const office = findOffice();
    if (office === null) {
      throw refuse('CONVERT_OFFICE_MISSING', `a .${type} file is read by LibreOffice, not here`);
    }
    const [to, open] = WAYS[type];
    const { signal } = options;
    const made = madeBy(await runOffice(office, { bytes, extension: type, to, signal }));
    const reader = await open(made, options);
    return {
      ...reader,
      found: { ...reader.found, readBy: `LibreOffice, ${reader.found.readBy}` },
      slide: async (index) => withOffice(await reader.slide(index), { index, type }),
    };
  };
}

function madeBy(answer: OfficeAnswer): Buffer {
  if ('made' in answer) return answer.made;
  const code = answer.failed === 'late' ? 'CONVERT_TOO_LARGE' : 'CONVERT_CORRUPTED';
  throw refuse(code, answer.what);
}

/** What LibreOffice itself left out it does not tell: the first slide says that it was there. */
function withOffice(found: FoundSlide, of: { index: number; type: OfficeType }): FoundSlide {
  if (of.index > 0) return found;
  const what = `LibreOffice read the .${of.type}; what it has no words for is not counted`;
  const loss = lossOf({ slide: 1, kind: 'slide' }, 'READ_BY_OFFICE', { what });
  const { account } = found;
  return {
    ...found,
    account: {
      ...account,
      elements: account.elements + 1,
      approximated: account.approximated + 1,
      losses: [loss, ...account.losses],
    },
  };
}
