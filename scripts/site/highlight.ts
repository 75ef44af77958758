// Colours for programs in documents: comments, texts, numbers and the language's own words.

const WORDS: Readonly<Record<string, string>> = {
  ts:
    'as async await break case catch class const continue default else export extends false ' +
    'finally for from function if import in interface let new null of readonly return satisfies ' +
    'switch this throw true try type typeof undefined using while yield',
  sh: 'cd curl do docker done export for git if kill kubectl node npm npx pawl then',
  sql:
    'and as begin commit create delete from insert into join not null on or select set update ' +
    'values where',
  python: 'and as def else for from if import in is not or return while with None True False',
  go: 'chan const defer else for func go if import nil package range return struct type var',
};

const SAME: Readonly<Record<string, string>> = {
  js: 'ts',
  tsx: 'ts',
  json: 'ts',
  bash: 'sh',
  elixir: 'python',
};

const COMMENTS: Readonly<Record<string, string>> = {
  ts: String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`,
  go: String.raw`\/\/[^\n]*`,
  sql: '--[^\\n]*',
};

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** As HTML; a language that is not known stays plain. */
export function highlighted(code: string, language: string): string {
  const name = SAME[language] ?? language;
  const words = WORDS[name];
  if (words === undefined) return escaped(code);
  const comment = COMMENTS[name] ?? String.raw`(?<![^\s])#[^\n]*`;
  const texts = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\]|\\.)*\``;
  const own = String.raw`(?<![\w.$/-])(?:${words.replaceAll(' ', '|')})(?![\w$/-])`;
  const parts = new RegExp(`(${comment})|(${texts})|(${own})|(?<![\\w.])(\\d[\\d_.]*)(?!\\w)`, 'g');
  let html = '';
  let at = 0;
  for (const match of code.matchAll(parts)) {
    const kind = ['c', 's', 'k', 'n'][match.slice(1).findIndex((part) => part !== undefined)]!;
    html += `${escaped(code.slice(at, match.index))}<i class="${kind}">${escaped(match[0])}</i>`;
    at = match.index + match[0].length;
  }
  return html + escaped(code.slice(at));
}
