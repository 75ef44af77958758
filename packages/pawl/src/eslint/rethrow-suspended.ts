import {
  isFunction,
  isNode,
  nameOf,
  type Node,
  nodesIn,
  type Rule,
  type RuleContext,
  under,
  type Variable,
  variableAt,
} from './syntax.ts';

/** What ends a turn by throwing, while it is not decided. */
const WAITS: ReadonlySet<string> = new Set(['call', 'callAll', 'sleep', 'receive', 'first']);

const SWALLOWED =
  'This catch keeps the suspension of a wait: while the wait is not decided, its code runs at ' +
  'every turn as if the wait had failed. Begin it with `if (isSuspended(error)) throw error;`.';

/** Reports a `catch` around a wait of a handler that does not rethrow a suspension. */
export const rethrowSuspended: Rule = {
  meta: {
    type: 'problem',
    docs: { description: 'require that a catch around a wait rethrows what isSuspended says' },
    messages: { swallowed: SWALLOWED },
    schema: [],
  },
  create(context) {
    const reported = new Set<Node>();
    const report = (node: Node): void => {
      if (reported.has(node)) return;
      reported.add(node);
      context.report({ node, messageId: 'swallowed' });
    };
    return {
      CallExpression(node) {
        const handler = handlerOf(context, node);
        if (handler === null) return;
        for (const clause of catchesAround(node, handler)) {
          if (!rethrows(clause)) report(clause);
        }
      },
    };
  },
};

/** The function whose context a wait was taken from; null for a call that is no wait. */
function handlerOf(context: RuleContext, call: Node): Node | null {
  const callee = call['callee'] as Node;
  const name = nameOf(callee);
  if (name !== null) return WAITS.has(name) ? takenFrom(context, call, name) : null;
  if (callee.type !== 'MemberExpression' || callee['computed'] === true) return null;
  const [verb, owner] = [nameOf(callee['property']), nameOf(callee['object'])];
  // A wait begins with its name; a function's own `call` does not.
  if (verb === null || owner === null || !WAITS.has(verb) || !isNamed(call)) return null;
  return parameterOf(variableAt(context, call, owner));
}

function isNamed(call: Node): boolean {
  const [first] = nodesIn(call['arguments']);
  if (first === undefined) return false;
  return typeof first['value'] === 'string' || first.type === 'TemplateLiteral';
}

/** `({ call }) => …`, or `const { call } = context` of a parameter. */
function takenFrom(context: RuleContext, call: Node, name: string): Node | null {
  const variable = variableAt(context, call, name);
  const [definition] = variable?.defs ?? [];
  if (definition === undefined) return null;
  if (definition.type === 'Parameter') {
    const isApart = nodesIn(definition.node['params']).some(
      (parameter) => isPattern(parameter) && hasMember(parameter, name),
    );
    return isApart ? definition.node : null;
  }
  const { node } = definition;
  const source = nameOf(node['init']);
  const isApart = isNode(node['id']) && node['id'].type === 'ObjectPattern';
  return isApart && source !== null ? parameterOf(variableAt(context, node, source)) : null;
}

function isPattern({ type }: Node): boolean {
  return type === 'ObjectPattern' || type === 'AssignmentPattern';
}

function hasMember(pattern: Node, name: string): boolean {
  const inner = isNode(pattern['left']) ? pattern['left'] : pattern;
  return nodesIn(inner['properties']).some((one) => nameOf(one['value']) === name);
}

function parameterOf(variable: Variable | null): Node | null {
  const [definition] = variable?.defs ?? [];
  return definition?.type === 'Parameter' ? definition.node : null;
}

/** Every catch that what the wait throws can come to, within the handler. */
function* catchesAround(wait: Node, handler: Node): Generator<Node> {
  let inner = wait;
  for (let node = wait.parent; node && node !== handler; node = node.parent) {
    if (node.type === 'TryStatement' && node['block'] === inner && isNode(node['handler'])) {
      yield node['handler'];
    }
    const caught = caughtBy(node, inner);
    if (caught !== null) yield caught;
    inner = node;
  }
}

/** The function in `wait.catch(function)`, where it stands there. */
function caughtBy(node: Node, wait: Node): Node | null {
  const call = node.parent;
  if (node.type !== 'MemberExpression' || node['object'] !== wait) return null;
  if (nameOf(node['property']) !== 'catch' || call?.type !== 'CallExpression') return null;
  const [handler] = nodesIn(call['arguments']);
  return handler !== undefined && isFunction(handler) ? handler : null;
}

/** A `throw` of what was caught, either for every error or for one that `isSuspended` knows. */
function rethrows(clause: Node): boolean {
  const [parameter] = isFunction(clause) ? nodesIn(clause['params']) : [clause['param']];
  const error = nameOf(parameter);
  const body = clause['body'];
  if (error === null || !isNode(body) || body.type !== 'BlockStatement') return false;
  const isThrow = (node: Node): boolean =>
    node.type === 'ThrowStatement' && nameOf(node['argument']) === error;
  const asks = (test: Node): boolean =>
    [...under(test)].some(
      (node) =>
        node.type === 'CallExpression' &&
        nameOf(node['callee']) === 'isSuspended' &&
        nameOf(nodesIn(node['arguments'])[0]) === error,
    );
  return nodesIn(body['body']).some((statement) => {
    if (isThrow(statement)) return true;
    if (statement.type !== 'IfStatement' || !asks(statement['test'] as Node)) return false;
    return [...under(statement)].some(isThrow);
  });
}
