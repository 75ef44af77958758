// As much of ESLint's interface as the rule needs: neither ESLint nor its types are a dependency.

export interface Node {
  readonly type: string;
  readonly parent?: Node | null;
  readonly [member: string]: unknown;
}

export interface Variable {
  readonly name: string;
  readonly defs: readonly { readonly type: string; readonly node: Node }[];
}

export interface Scope {
  readonly upper: Scope | null;
  readonly set: ReadonlyMap<string, Variable>;
}

export interface RuleContext {
  readonly sourceCode: { getScope(node: Node): Scope };
  report(problem: { readonly node: Node; readonly messageId: string }): void;
}

export interface Rule {
  readonly meta: {
    readonly type: 'problem';
    readonly docs: { readonly description: string };
    readonly messages: Readonly<Record<string, string>>;
    readonly schema: readonly [];
  };
  create(context: RuleContext): Record<string, (node: Node) => void>;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** The name of an identifier; null for everything else. */
export function nameOf(node: unknown): string | null {
  return isNode(node) && node.type === 'Identifier' ? (node['name'] as string) : null;
}

export function nodesIn(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The nodes under a node, itself first; functions are not entered. */
export function* under(node: Node): Generator<Node> {
  yield node;
  for (const [member, value] of Object.entries(node)) {
    if (member === 'parent') continue;
    const children = isNode(value) ? [value] : nodesIn(value);
    for (const child of children) if (!isFunction(child)) yield* under(child);
  }
}

export function isFunction({ type }: Node): boolean {
  return type.endsWith('FunctionExpression') || type === 'FunctionDeclaration';
}

/** What a name stands for at a node. */
export function variableAt(context: RuleContext, node: Node, name: string): Variable | null {
  let scope: Scope | null = context.sourceCode.getScope(node);
  for (; scope !== null; scope = scope.upper) {
    const found = scope.set.get(name);
    if (found !== undefined) return found;
  }
  return null;
}
