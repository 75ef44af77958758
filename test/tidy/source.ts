// Just enough reading of TypeScript to tell code from comments and text.

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  path: string;
  text: string;
}

export interface Import {
  specifier: string;
  line: number;
}

const importForms = [
  /\bfrom\s*(['"]) *\1/g,
  /\bimport\s*(['"]) *\1/g,
  /\bimport\s*\(\s*(['"]) *\1/g,
];

/** Every module named by an import or export, static or dynamic. */
export function importsOf(text: string): Import[] {
  const code = codeOf(text);
  return importForms.flatMap((form) =>
    [...code.matchAll(form)].map((match) => {
      const start = match.index + match[0].indexOf(match[1] ?? '') + 1;
      const specifier = text.slice(start, match.index + match[0].length - 1);
      return { specifier, line: lineAt(code, start) };
    }),
  );
}

/** The line, counted from one, of an offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** The text with comments, regular expressions and the insides of strings turned into spaces. */
export function codeOf(text: string): string {
  return new Masker(text).mask();
}

const regexMayFollow = /(?:^|[(,=:[!&|?{};+\-*%<>~^])$|\b(?:return|typeof|case|in|of|void|throw)$/;

class Masker {
  readonly #text: string;
  #at = 0;
  #out = '';

  constructor(text: string) {
    this.#text = text;
  }

  mask(): string {
    this.#code(() => false);
    return this.#out;
  }

  // Copies code until `isEnd` says so; strings, comments and the like are blanked on the way.
  #code(isEnd: (char: string) => boolean): void {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] ?? '';
      const two = this.#text.slice(this.#at, this.#at + 2);
      if (isEnd(char)) return;
      if (two === '//') this.#blankUntil(/\n|$/g, 0);
      else if (two === '/*') this.#blankUntil(/\*\/|$/g, 2);
      else if (char === "'" || char === '"') this.#quoted(char);
      else if (char === '`') this.#template();
      else if (char === '/' && regexMayFollow.test(this.#out.trimEnd())) this.#regex();
      else this.#copy();
    }
  }

  #copy(): void {
    this.#out += this.#text[this.#at++] ?? '';
  }

  #blank(): void {
    this.#out += this.#text[this.#at++] === '\n' ? '\n' : ' ';
  }

  #blankUntil(end: RegExp, extra: number): void {
    end.lastIndex = this.#at + extra;
    const found = end.exec(this.#text);
    const stop = found ? found.index + found[0].length : this.#text.length;
    while (this.#at < stop) this.#blank();
  }

  #quoted(quote: string): void {
    this.#copy();
    while (this.#at < this.#text.length && this.#text[this.#at] !== quote) {
      if (this.#text[this.#at] === '\\') this.#blank();
      this.#blank();
    }
    this.#copy();
  }

  #template(): void {
    this.#copy();
    while (this.#at < this.#text.length && this.#text[this.#at] !== '`') {
      if (this.#text.startsWith('${', this.#at)) this.#placeholder();
      else {
        if (this.#text[this.#at] === '\\') this.#blank();
        this.#blank();
      }
    }
    this.#copy();
  }

  #placeholder(): void {
    this.#copy();
    this.#copy();
    let depth = 0;
    this.#code((char) => {
      if (char === '}' && depth === 0) return true;
      depth += char === '{' ? 1 : char === '}' ? -1 : 0;
      return false;
    });
    this.#copy();
  }

  #regex(): void {
    this.#copy();
    let isInClass = false;
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at];
      if (char === '\n' || (char === '/' && !isInClass)) break;
      if (char === '[') isInClass = true;
      if (char === ']') isInClass = false;
      if (char === '\\') this.#blank();
      this.#blank();
    }
    this.#copy();
  }
}
