import type { Page, Paging } from '../handle/job-snapshot.ts';
import type { SentMessage } from '../handle/job-access.ts';
import type { ChildResultJson, MessageJson, TreeJson } from '../contract/flow.ts';
import type { MessageLinkJson } from '../contract/message-link.ts';
import { allPages } from './all-pages.ts';
import type { Connection } from './connection.ts';

/** Trees of jobs, and what is sent to them. */
export class FlowsClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Kept until a wait of the job takes it; sent twice under one key it is one. */
  async send(
    jobId: string,
    message: { readonly name: string; readonly payload?: unknown; readonly key?: string },
  ): Promise<SentMessage> {
    const call = { method: 'POST', path: pathOf(jobId, 'messages'), body: message } as const;
    return (await this.#connection.call(call)).body as SentMessage;
  }

  /** A signed address by which whoever has it sends one message, for a person without a key. */
  async messageLink(
    jobId: string,
    link: { readonly name: string; readonly value?: unknown; readonly ttlMs?: number },
  ): Promise<MessageLinkJson> {
    const call = { method: 'POST', path: pathOf(jobId, 'messages/links'), body: link } as const;
    return (await this.#connection.call(call)).body as MessageLinkJson;
  }

  /** Oldest first, with those that were taken or set aside. */
  messages(jobId: string): Promise<readonly MessageJson[]> {
    return allPages<MessageJson>(this.#connection, pathOf(jobId, 'messages'));
  }

  /** What a job waits for, and what that waits for in turn. */
  async tree(jobId: string): Promise<TreeJson> {
    const call = { method: 'GET', path: pathOf(jobId, 'tree') } as const;
    return (await this.#connection.call(call)).body as TreeJson;
  }

  /** How the children of a wait ended. */
  async results(jobId: string, wait: string, paging: Paging = {}): Promise<Page<ChildResultJson>> {
    const path = pathOf(jobId, `waits/${encodeURIComponent(wait)}/results`);
    const { body } = await this.#connection.call({ method: 'GET', path, query: { ...paging } });
    return body as Page<ChildResultJson>;
  }
}

function pathOf(jobId: string, verb: string): string {
  return `/v1/jobs/${encodeURIComponent(jobId)}/${verb}`;
}
