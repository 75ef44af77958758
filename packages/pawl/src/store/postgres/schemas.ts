/**
 * Tables stay, verbs come and go: each release installs its verbs in a schema of its own, so that
 * two releases run side by side on the same tables. The release after next drops the oldest.
 */
export const RELEASE = 1;

/** Names are quoted, and kept to what needs no thought in a script or a dump. */
export function quoteName(name: string): string {
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(name)) {
    throw new TypeError(
      `"${name}" cannot be the name of a schema or role: use a–z, 0–9 and _, at most 40 characters`,
    );
  }
  return `"${name}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function verbsSchema(schema: string, release: number = RELEASE): string {
  return `${schema}_verbs_${release}`;
}
