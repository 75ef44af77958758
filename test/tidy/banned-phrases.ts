// Everything a person reads uses the words of the field; the glossary in ARCHITECTURE.md decides.
import { codeOf, lineAt, type SourceFile } from './source.ts';

/** A phrase that makes a reader stop, and what to write instead. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:by|with) commas\b/gi, 'comma-separated'],
  [/\bwithout(?= \(|[.;)]|$)/gim, 'default: …'],
  [/\bcomes? round\b/gi, 'recurring'],
  [/\bdeclared nowhere\b/gi, 'not declared'],
  [/\bin hand\b/gi, 'in flight'],
  [/\bPromises, over\b|\bwhat is promised, and what is kept\b/gi, 'SLOs, last 7 days'],
  [/\bleft none\b/gi, 'no result'],
  [/\bnobody's business\b/gi, 'not reported'],
  [/\bwish(?:es|ed)?\b/gi, 'request'],
  [/\bgood (?:here|there|for)\b/gi, 'valid'],
  [/\bso many\b/gi, 'at most; the number of'],
  [/\bby (?:itself|themselves)\b/gi, 'automatically; on its own'],
  [/\b(?:is|are|was|were|be) told\b|\btold (?:as|at|by)\b/gi, 'reported; shown'],
  [/(?<!there )\bis no\b(?! +(?:longer|more)\b)/gi, 'is not a'],
  [/\bbe had\b/gi, 'be read; be fetched'],
  [/\bend(?:s|ed|ing)? (?:badly|well)\b/gi, 'failed; succeeded'],
  [/\b(?:is|was) away\b/gi, 'is unavailable'],
  [/\bas (?:it comes|they come)\b/gi, 'with its defaults'],
  [/\bhow far (?:it|one|an? \w+) is\b/gi, 'progress'],
  [/\b(?:go|goes|went|going) on\b/gi, 'continue'],
  [/\bbelongs? into\b/gi, 'belongs in'],
  [/\b(?:in|out)side of\b/gi, 'inside; outside'],
  [/\banew\b/gi, 'again'],
  [/\bin the place of\b/gi, 'in place of; instead of'],
  [/\b(?:take|takes|took|taken|taking) away\b/gi, 'remove'],
  [/\bmend(?:s|ed|ing)?\b/gi, 'fix'],
  [/\bheard of\b/gi, 'seen'],
  [/\botherwise than\b/gi, 'instead of; overrides'],
  [/\b(?:how|where) (?:it|they|jobs?|the job|each|a job|one) stands?\b/gi, 'state; status'],
  [/\bis (?:not )?there (?:twice|already)\b/gi, 'appears twice; already exists'],
  [/\bnews of work\b/gi, 'wake-up'],
  [/\bplay-book\b/gi, 'playbook'],
  [/\bwhat is what\b/gi, 'concepts'],
  [/\btries of its own\b/gi, 'its own number of attempts'],
  [/\bin the night\b/gi, 'at night'],
  [/\b(?:come|comes|came) to be\b/gi, 'is created'],
  [/\b(?:has|have) a say\b/gi, 'counts'],
  [/\bthe one or the other\b/gi, 'one of them'],
  [/\bdealt with by\b/gi, 'handled by'],
  [/\bsay that it is there\b/gi, 'worker heartbeat'],
  [/\bwhat can be said when\b/gi, '… options'],
  [/\bnobody (?:has )?(?:begun|began|begins|answers|there|lets)\b/gi, 'not started; no answer'],
  [/\blets? (?:it|them|everything) (?:in|through)\b/gi, 'makes it ready'],
  [/\bin the hands of\b/gi, 'in flight'],
  [/\bwhole li(?:fe|ves)\b/gi, 'from enqueue to end'],
  [/\blost future\b/gi, 'after the backup'],
  [/\b(?:is|are) good,? too\b/gi, 'is accepted, too'],
  [/\bwait(?:s|ed)? (?:so long|on)\b/gi, 'wait for that time; keep waiting'],
  [/\bleft alone\b/gi, 'not changed; not called'],
  [/\bnobody knows\b/gi, 'it is not known'],
  [/\bwithout end\b/gi, 'without a limit; in a loop'],
  [/\bin a word\b/gi, 'briefly'],
  [/\bas fast as it goes\b/gi, 'no limit'],
  [/\bwhat bec(?:ame|omes) of\b/gi, 'outcome of; what happens to'],
  [/\band no more\b/gi, 'only; at most'],
  [/\btakes? and (?:gives?|returns?)\b/gi, 'input and result'],
  [/\bfor everybody\b/gi, 'public'],
  [/\b(?:is|are|was) at work\b/gi, 'is running'],
  [/\blook(?:s|ed|ing)? into\b/gi, 'read; inspect'],
  [/\bhold(?:s|ing)? up\b/gi, 'delay; block'],
  [/\bover and over\b/gi, 'repeatedly'],
  [/\ba way out\b|\bthe way out\b/gi, 'remedy'],
  [/\bagain and again\b/gi, 'repeatedly'],
  [/\b(?:in|at) one go\b/gi, 'in one run; together'],
  [/\bas ever\b/gi, 'as before'],
  [/\bsays? so where\b/gi, 'reports that it is skipped'],
  [/\bseen to (?:take|have|be)\b/gi, 'observed'],
  [/\bsigns? of life\b/gi, 'heartbeat; response'],
  [/\bis good for\b/gi, 'is valid for'],
  [/\bturn(?:s|ed)? red\b/gi, 'fail'],
  [/\bnothing new beyond\b/gi, 'no new states beyond'],
  [/\bwhat was learnt of\b/gi, 'cached values'],
  [/\bof (?:its|their|your|our) own kind\b/gi, 'separate'],
  [/\bstands? beside\b/gi, 'is next to'],
  [/\bwhoever (?:asks|comes|runs)\b/gi, 'the caller; the process'],
  [/\bnobody's\b/gi, 'not owned; without an owner'],
  [/\bthe most (?:that|jobs|handlers)\b/gi, 'maximum; at most'],
  [/\bsomebody is needed\b|\bwants? somebody\b/gi, 'needs action'],
];

/** A line that is indented continues its phrase after more than one blank. */
const PHRASES = BANNED.map(
  ([{ source, flags }, instead]) =>
    [new RegExp(source.replaceAll(/ (?!\+)/g, ' +'), flags), instead] as const,
);

/** Made from titles of tests, quoted from others or from before, or records of their time. */
const NOT_READ = /^(?:docs\/(?:conformance|requirements|readers-protocol)\.md$|bench\/)/;
const SOURCE = /^packages\/[\w-]+\/src\/(?!.*\.test\.tsx?$).*\.tsx?$/;
/** What a page shows between its elements; code there has signs that a sentence has not. */
const SHOWN = /(?<=[>}])[^<>{}=;]* [^<>{}=;]*(?=[<{])/g;

interface Text {
  readonly at: number;
  readonly text: string;
}

/** The literals of a source; those that are added up to one text are one. */
export function textsOf(source: string): Text[] {
  const code = codeOf(source);
  const texts: Text[] = [];
  let last = -1;
  for (let at = 0; at < code.length; at++) {
    const quote = code[at]!;
    if (quote !== "'" && quote !== '"' && quote !== '`') continue;
    const end = code.indexOf(quote, at + 1);
    if (end < 0) break;
    const text = source.slice(at + 1, end);
    const isMore = last >= 0 && /^\s*\+\s*$/.test(code.slice(last + 1, at));
    const before = isMore ? texts.pop()! : { at: at + 1, text: '' };
    texts.push({ at: before.at, text: before.text + text.replaceAll(/\$\{[^}]*\}/g, '…') });
    [last, at] = [end, end];
  }
  return texts;
}

/** Names and paths have no blanks. */
function isProse({ text }: Text): boolean {
  return text.includes(' ');
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

/** Literals of a page, and sentences between its elements, whose apostrophes quote nothing. */
function textsOfPage(source: string): Text[] {
  const shown = [...source.matchAll(SHOWN)].map(({ 0: text, index }) => ({
    at: index,
    text: text.replaceAll(/\s/g, ' '),
  }));
  return [...textsOf(source.replaceAll(SHOWN, blank)), ...shown];
}

function readIn({ path, text }: SourceFile): Text[] {
  if (path.endsWith('.md')) return [{ at: 0, text: proseOf(text) }];
  return (path.endsWith('.tsx') ? textsOfPage(text) : textsOf(text)).filter(isProse);
}

/** A document without its programs and names, on as few lines as it has paragraphs. */
function proseOf(text: string): string {
  return text
    .replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
    .replaceAll(/\n(?=[^\n|#>*-])/g, ' ');
}

export function bannedPhraseProblems(file: SourceFile): string[] {
  const { path, text } = file;
  if (NOT_READ.test(path) || !(path.endsWith('.md') || SOURCE.test(path))) return [];
  return readIn(file).flatMap(({ at, text: read }) =>
    PHRASES.flatMap(([phrase, instead]) =>
      [...read.matchAll(phrase)].map(({ 0: found, index }) => {
        const line = lineAt(text, at + index);
        return `${path}:${line}: “${found.replaceAll(/ +/g, ' ')}”: say ${instead}`;
      }),
    ),
  );
}
