/** Words that are everywhere and say nothing about what a text is about. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how if in ' +
    'into is it its may more most no not of on or our so such than that the their them then ' +
    'there these they this those to was we were what when where which who why will with would ' +
    'you your aber als am auch auf aus bei bis das dass dem den der des die ein eine einem einen ' +
    'einer es für hat im ist mit nach nicht noch nur oder sich sie sind über um und von vor war ' +
    'wer wie wird zu zum zur'
  ).split(' '),
);

const ENDINGS = /(?<=...)(?:ing|ed|s)$/;

/** The words that a text can be found by: in small letters, without common ones and endings. */
export function termsOf(text: string): string[] {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !COMMON.has(word)).map((word) => stem(word));
}

function stem(word: string): string {
  return word
    .replace(/(?<=..)ies$/, 'y')
    .replace(ENDINGS, '')
    .replace(/(?<=...)e$/, '');
}

export function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The sentences of a text; a line without an end is one too. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/\n+/)
    .flatMap((line) => [...SENTENCES.segment(line)].map(({ segment }) => segment.trim()))
    .filter((sentence) => sentence !== '');
}
