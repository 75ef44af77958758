import type { EngineContext } from '../context.ts';
import { withContext } from '../with-context.ts';
import { isBlind } from './blind.ts';
import { childResults } from './child-results.ts';
import { decide } from './decide.ts';
import { decidedOf } from './decided.ts';
import type { Flows } from './flows.ts';
import { enqueueGraph } from './graph.ts';
import { messageLink, readLink, useLink } from './message-link.ts';
import { messagesOf, send, setAside } from './messages.ts';
import { spawn } from './spawn.ts';
import { treeOf } from './tree.ts';

/** The flows of an engine: a function of the context each. */
export const EngineFlows: new (context: EngineContext) => Flows = withContext({
  spawn,
  decide,
  results: childResults,
  decided: decidedOf,
  send,
  setAside,
  messages: messagesOf,
  isBlind,
  messageLink,
  readLink,
  useLink,
  tree: treeOf,
  enqueueGraph,
});
