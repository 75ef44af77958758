import type { Passage, Reading } from './passage.ts';
import { rank, statisticsOf } from './ranking.ts';
import { sentencesOf, termsOf } from './words.ts';

/** A sentence of a document, and where it stands. */
export interface Quote {
  readonly place: string;
  readonly text: string;
}

/** What was found in a document, as a text whose every line names its place. */
export interface Extract {
  readonly text: string;
  readonly quotes: readonly Quote[];
}

const SENTENCES_MAX = 5;
const PASSAGES_MAX = 6;
const SENTENCE_LENGTH_MAX = 600;
/** Each is compared with those that were chosen, so very long documents are cut. */
const CANDIDATES_MAX = 5_000;

interface Candidate extends Quote {
  readonly order: number;
  readonly terms: ReadonlySet<string>;
}

/** The headings in their order; first words where a passage has none. */
export function outline({ title, passages }: Reading): Extract {
  const quotes: Quote[] = [];
  let before = '';
  for (const { place, heading, text } of passages) {
    const line = heading === '' ? (sentencesOf(text)[0] ?? '') : heading;
    if (line === '' || line === before) continue;
    before = line;
    quotes.push({ place, text: clipped(line) });
  }
  const lines = quotes.map((quote, index) => `${index + 1}. ${quote.text} [${quote.place}]`);
  return { text: [...(title === '' ? [] : [title, '']), ...lines].join('\n'), quotes };
}

/** The sentences that have most in common with the rest, in the order of the document. */
export function summary(reading: Reading, sentencesMax: number = SENTENCES_MAX): Extract {
  const candidates = candidatesOf(reading.passages);
  const weights = new Map<string, number>();
  for (const { terms } of candidates) {
    for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + 1);
  }
  const scored = candidates.map((one) => ({ one, score: centrality(one, weights) }));
  const chosen = chooseVaried(scored, sentencesMax);
  return told(chosen.toSorted((one, other) => one.order - other.order));
}

/** The sentences nearest to a question; none where no word of it is in the document. */
export function answer(reading: Reading, question: string): Extract {
  const { passages } = reading;
  const searched = passages.map(({ heading, text }) => `${heading}\n${text}`);
  const best = rank(statisticsOf(searched), question).slice(0, PASSAGES_MAX);
  const near = candidatesOf(best.map(({ text }) => passages[text]!));
  const scores = rank(statisticsOf(near.map(({ text }) => text)), question);
  const direct = scores.map(({ text, score }) => ({ one: near[text]!, score }));
  // A title may have the question's words and its passage the answer.
  const first = near[0] === undefined || direct.length > 0 ? [] : [{ one: near[0], score: 1 }];
  return told(chooseVaried([...direct, ...first], 3));
}

function candidatesOf(passages: readonly Passage[]): Candidate[] {
  const sentences = passages.flatMap(({ place, heading, text }) => {
    const found = sentencesOf(text);
    const kept = found.length === 0 && heading !== '' ? [heading] : found;
    return kept.map((one) => ({ place, text: clipped(one), terms: new Set(termsOf(one)) }));
  });
  return sentences
    .filter(({ terms }) => terms.size > 0)
    .slice(0, CANDIDATES_MAX)
    .map((sentence, order) => ({ ...sentence, order }));
}

/** Long sentences have more words in common by their length alone. */
function centrality({ terms }: Candidate, weights: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const term of terms) sum += Math.log(weights.get(term) ?? 1);
  return sum / Math.sqrt(terms.size + 4);
}

/** The best of all, then each time the best that says something new. */
function chooseVaried(
  scored: readonly { readonly one: Candidate; readonly score: number }[],
  max: number,
): Candidate[] {
  const left = new Map(scored.map(({ one, score }) => [one, score]));
  const chosen: Candidate[] = [];
  while (chosen.length < max && left.size > 0) {
    let best: Candidate | null = null;
    let bestScore = -Infinity;
    for (const [one, score] of left) {
      const alike = Math.max(0, ...chosen.map((other) => likeness(one.terms, other.terms)));
      if (alike < 0.8 && score * (1 - alike) > bestScore) {
        [best, bestScore] = [one, score * (1 - alike)];
      }
    }
    if (best === null) break;
    chosen.push(best);
    left.delete(best);
  }
  return chosen;
}

function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return one.intersection(other).size / Math.max(1, one.union(other).size);
}

function told(sentences: readonly Candidate[]): Extract {
  const quotes = sentences.map(({ place, text }) => ({ place, text }));
  return { text: quotes.map(({ place, text }) => `${text} [${place}]`).join('\n'), quotes };
}

function clipped(text: string): string {
  return text.length <= SENTENCE_LENGTH_MAX ? text : `${text.slice(0, SENTENCE_LENGTH_MAX)}…`;
}
