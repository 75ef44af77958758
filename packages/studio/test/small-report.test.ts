// report jobs: the PDF that comes out is read back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingOfDeck } from '../src/reading/passage.ts';
import { readSource } from '../src/reading/read-source.ts';
import { report, type ReportResult } from '../src/small/report.ts';
import { openJobFixture, resultOf } from './job-fixture.ts';

test('[P14] a report job renders titles, paragraphs, a long table and bars into a PDF', async (context) => {
  const fixture = await openJobFixture(context, [report]);
  const rows = Array.from({ length: 80 }, (_, index) => [`Ship ${index + 1}`, index * 10, null]);
  const job = await fixture.run('report', {
    title: 'Harbour report',
    subtitle: 'Third quarter',
    sections: [
      { heading: 'Überblick', paragraphs: ['The cranes worked every day. '.repeat(20)] },
      { heading: 'Ships', table: { columns: ['Name', 'Tons', 'Remark'], rows } },
      {
        heading: 'Months',
        bars: [
          { label: 'July', value: 12 },
          { label: 'August', value: 3.5 },
        ],
      },
    ],
  });
  assert.equal(job.state, 'SUCCESS', JSON.stringify(job.error));
  const { artifactRef, fileName, pages, size } = resultOf<ReportResult>(job);
  assert.equal(fileName, 'Harbour report.pdf');
  const bytes = await fixture.read(artifactRef);
  assert.equal(bytes.length, size);
  const { slides } = await readSource(bytes, { sourceType: 'pdf' });
  assert.ok(pages >= 3 && slides.length === pages, `${pages} pages`);
  const { passages } = readingOfDeck({ title: '', slides: [...slides] });
  const text = passages.map((one) => `${one.heading}\n${one.text}`).join('\n');
  for (const words of [
    'Harbour report',
    'Third quarter',
    'Überblick',
    'Ship 80',
    'August',
    '3.5',
  ]) {
    assert.ok(text.includes(words), `${words} is in the PDF`);
  }
  // The head of the table is on each of its pages.
  assert.ok(text.split('Remark').length - 1 >= 2);
});
