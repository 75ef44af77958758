// The requirements of docs/requirements.md, one per table row.

export interface Requirement {
  /** A letter for the document and a number: `D6`. */
  id: string;
  statement: string;
}

export interface RequirementDocument {
  letter: string;
  title: string;
  requirements: Requirement[];
}

const heading = /^##\s+([DOPTR])\s+(?:—|–|-)\s+(.*)$/;
const row = /^\|\s*([DOPTR]\d+)\s*\|\s*(.*?)\s*\|\s*$/;

/** Documents in the order they are written; a row given twice is a mistake in the file. */
export function parseRequirements(markdown: string): RequirementDocument[] {
  const documents = new Map<string, RequirementDocument>();
  const seen = new Set<string>();
  const documentOf = (letter: string): RequirementDocument => {
    const document = documents.get(letter) ?? { letter, title: letter, requirements: [] };
    documents.set(letter, document);
    return document;
  };
  for (const line of markdown.split(/\r?\n/)) {
    const [, letter, title] = heading.exec(line) ?? [];
    if (letter !== undefined) documentOf(letter).title = `${letter} — ${title}`;
    const [, id, statement] = row.exec(line) ?? [];
    if (id === undefined || statement === undefined) continue;
    if (seen.has(id)) throw new Error(`docs/requirements.md has two rows for ${id}`);
    seen.add(id);
    documentOf(id.slice(0, 1)).requirements.push({ id, statement });
  }
  return [...documents.values()].filter(({ requirements }) => requirements.length > 0);
}

const idList = /^\s*\[\s*([DOPTR]\d+(?:\s*,\s*[DOPTR]\d+)*)\s*\]/;

/** The ids at the beginning of a test's title: `[D6, D10] at most three retries`. */
export function idsIn(title: string): string[] {
  const list = idList.exec(title)?.[1];
  return list === undefined ? [] : list.split(',').map((id) => id.trim());
}
