// What docs/reference says of the studio, made from what the studio goes by.
import { AI_ERRORS } from '../../packages/studio/src/ai/refusal.ts';
import { CONVERT_ERRORS } from '../../packages/studio/src/convert/refusal.ts';
import { DECK_VERSION, DeckSchema } from '../../packages/studio/src/deck/deck.ts';
import { LOSSES } from '../../packages/studio/src/deck/losses.ts';
import { EXPORT_ERRORS } from '../../packages/studio/src/export/refusal.ts';

const DECK_SCHEMA_PATH = 'docs/reference/deck.schema.json';
const ERRORS_PATH = 'docs/reference/studio-errors.md';
const LOSSES_PATH = 'docs/reference/losses.md';

function deckSchema(): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:pawl:deck:${DECK_VERSION}`,
    title: `A deck, version ${DECK_VERSION}`,
    description:
      'What convert jobs make and export jobs take: text, shapes, images, tables and charts.',
    ...DeckSchema,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function errorTable(errors: Readonly<Record<string, { class: string; hint: string }>>): string {
  const rows = Object.entries(errors).map(
    ([code, one]) => `| \`${code}\` | \`${one.class}\` | ${one.hint} |`,
  );
  return ['| code | class | what to do |', '|---|---|---|', ...rows].join('\n');
}

function errors(): string {
  return `# Errors of convert, export and ai

The \`error.code\` of a job that failed. The class decides whether it is tried again: of those below
\`model_overloaded\` and \`network_timeout\` are, and \`ai_rate_limit\` is waited for. What may
be gone the next time has the class \`transient_storage\` or \`network_timeout\`.
A fault of the program itself is \`internal_bug\` with a code that ends in \`_INTERNAL\`.

## convert

${errorTable(CONVERT_ERRORS)}

## export

${errorTable(EXPORT_ERRORS)}

## ai

${errorTable(AI_ERRORS)}
`;
}

function losses(): string {
  const rows = Object.entries(LOSSES).map(
    ([code, [outcome, what]]) => `| \`${code}\` | ${outcome} | ${what} |`,
  );
  return `# Losses of conversions and exports

Every element of a source (a title, a text, a shape, a picture, a table, a chart, notes, a
background, animations, comments) is kept, approximated or dropped. The result of a convert or
export job has the counts in \`losses\`. The artifact \`losses.json\` lists each loss: \`slide\`,
\`origin\` (the part and shape of the source), \`kind\`, \`code\`, \`outcome\`, \`what\` in words
and, where words of the source are concerned, \`text\`. With \`strict: true\` a job fails by
\`CONVERT_LOSSES\` or \`EXPORT_LOSSES\` where anything would be dropped; approximations do not
make it fail.

| code | outcome | what is meant |
|---|---|---|
${rows.join('\n')}
`;
}

/** The pages by their paths. */
export function studioFiles(): readonly (readonly [path: string, text: string])[] {
  return [
    [DECK_SCHEMA_PATH, deckSchema()],
    [ERRORS_PATH, errors()],
    [LOSSES_PATH, losses()],
  ];
}
