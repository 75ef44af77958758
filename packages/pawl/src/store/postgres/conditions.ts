/** Conditions of a query and their values, numbered as they come. */
export class Conditions {
  readonly values: unknown[] = [];
  readonly #texts: string[] = [];

  /** `?` stands for the value; one that is undefined asks for nothing. */
  add(text: string, value: unknown): this {
    return value === undefined ? this : this.addAll(text, [value]);
  }

  /** One condition with several values, each `?` for the next of them. */
  addAll(text: string, values: readonly unknown[]): this {
    let next = this.values.length;
    this.values.push(...values);
    this.#texts.push(text.replaceAll('?', () => `$${(next += 1)}`));
    return this;
  }

  /** These and one more. */
  with(text: string, value: unknown): Conditions {
    const all = new Conditions();
    all.values.push(...this.values);
    all.#texts.push(...this.#texts);
    return all.add(text, value);
  }

  get sql(): string {
    return this.#texts.length === 0 ? 'true' : this.#texts.join(' AND ');
  }
}
