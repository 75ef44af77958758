// How the tables of hostile requests are written: a title and the bytes.
export const HOST = 'host: localhost\r\n';
export const JSON_TYPE = 'content-type: application/json\r\n';

export interface HostileRequest {
  readonly what: string;
  readonly bytes: string;
  /** The client sends nothing more after it, so that it may be left without an answer. */
  readonly ends?: boolean;
}

/** A kind by its title and its bytes. */
export type Row = readonly [what: string, bytes: string];

export function kinds(group: string, rows: readonly Row[]): HostileRequest[] {
  return rows.map(([what, bytes]) => ({ what: `${group}: ${what}`, bytes }));
}

export function get(target: string, headers = ''): string {
  return `GET ${target} HTTP/1.1\r\n${HOST}${headers}\r\n`;
}

export function post(target: string, body: string, headers = JSON_TYPE): string {
  const length = `content-length: ${body.length}\r\n`;
  return `POST ${target} HTTP/1.1\r\n${HOST}${headers}${length}\r\n${body}`;
}

/** UTF-8, as the bytes of a latin1 text. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

export function chunked(chunks: string, headers = 'transfer-encoding: chunked\r\n'): string {
  return `POST /v1/jobs HTTP/1.1\r\n${HOST}${JSON_TYPE}${headers}\r\n${chunks}`;
}

export const ID = '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e';
export const JOB = '{"type":"export"}';
