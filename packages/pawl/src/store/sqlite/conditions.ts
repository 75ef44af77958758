import type { SQLInputValue } from 'node:sqlite';

/** Conditions joined by AND, with their values: what a filter becomes. */
export class Conditions {
  readonly texts: string[] = [];
  readonly values: SQLInputValue[] = [];

  /** Undefined asks for nothing; null is a value that no row has. */
  add(text: string, value: SQLInputValue | undefined): void {
    if (value === undefined) return;
    this.addAll(text, [value]);
  }

  /** One condition with several values. */
  addAll(text: string, values: readonly SQLInputValue[]): void {
    this.texts.push(text);
    this.values.push(...values);
  }

  /** These and one more. */
  with(text: string, value: SQLInputValue | undefined): Conditions {
    const all = new Conditions();
    all.texts.push(...this.texts);
    all.values.push(...this.values);
    all.add(text, value);
    return all;
  }

  get where(): string {
    return this.texts.join(' AND ');
  }
}
