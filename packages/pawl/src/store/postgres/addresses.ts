/** Which server of several is wanted, by the words of the client library of PostgreSQL. */
const WANTED = ['any', 'read-write', 'primary'] as const;

export type Wanted = (typeof WANTED)[number];

/** The addresses that one URL lists, each as a URL of its own. */
export interface Addresses {
  readonly urls: readonly string[];
  readonly wanted: Wanted;
}

const PARTS = /^([\w+.-]+:\/\/(?:[^@/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/;

/**
 * Reads a URL with several comma-separated hosts: in the address itself, or as `host` and `port` in
 * its query. Of several, the one that can be written to is wanted, unless
 * `target_session_attrs` says otherwise. Throws a TypeError for a server that Pawl cannot use.
 */
export function addressesIn(url: string): Addresses {
  const [, head = '', authority = '', path = '', query = ''] = PARTS.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const given = parameters.get('target_session_attrs');
  const hosts = (parameters.get('host') ?? '').split(',');
  const ports = (parameters.get('port') ?? '').split(',');
  const authorities = authority.split(',');
  const count = Math.max(authorities.length, hosts.length);
  if (count === 1 && given === null) return { urls: [url], wanted: 'any' };
  const wanted = WANTED.find((one) => one === (given ?? 'read-write'));
  if (wanted === undefined) {
    throw new TypeError(
      `asks for a server by target_session_attrs=${given}, and Pawl writes: use read-write`,
    );
  }
  parameters.delete('target_session_attrs');
  const urls = Array.from({ length: count }, (_, index) => {
    const own = new URLSearchParams(parameters);
    if (hosts.length > 1) own.set('host', hosts[index]!);
    if (ports.length > 1) own.set('port', ports[index] ?? '5432');
    const more = own.size === 0 ? '' : `?${own.toString()}`;
    return `${head}${authorities[index] ?? authorities[0]!}${path}${more}`;
  });
  return { urls, wanted };
}

/** The address that is tried next: the last one that worked, until it does not. */
export class Ring {
  readonly urls: readonly string[];
  #at = 0;

  constructor(urls: readonly string[]) {
    this.urls = urls;
  }

  get current(): string {
    return this.urls[this.#at]!;
  }

  /** Goes on to the next one, unless somebody else has. */
  pass(failed: string): void {
    if (failed === this.current) this.#at = (this.#at + 1) % this.urls.length;
  }
}
