/** A response. Read the body once, as bytes, text, JSON or a stream, or discard it. */
export interface OutgoingResponse {
  readonly status: number;
  /** True for 2xx. */
  readonly ok: boolean;
  readonly headers: Headers;
  /** Chunks as they arrive, within the bounds of the request. */
  readonly body: AsyncIterable<Uint8Array>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  json(): Promise<unknown>;
  /** Lets the connection go without reading on. */
  discard(): void;
}

export interface OutgoingRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** From the first byte sent to the last byte read. */
  readonly timeoutMs?: number;
  /** Of the body by itself; then `timeoutMs` is up to its first byte. */
  readonly bodyTimeoutMs?: number;
  readonly responseBytesMax?: number;
  readonly signal?: AbortSignal;
}

/**
 * The guarded HTTP client. It does not follow redirects; they are returned like other responses.
 */
export interface Outgoing {
  fetch(url: string | URL, request?: OutgoingRequest): Promise<OutgoingResponse>;
  /** Throws what `fetch` would refuse, without sending anything; unknown hosts may come later. */
  check(url: string | URL): Promise<void>;
  close(): Promise<void>;
}
