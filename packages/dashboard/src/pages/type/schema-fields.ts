// A form made of a JSON Schema, as far as it describes a flat object; the rest is written as JSON.
import { jsonIn } from '../../parts/form-values.ts';

type Kind = 'string' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';

export interface SchemaField {
  readonly name: string;
  readonly kind: Kind;
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly hint: string;
  readonly initial: string;
}

interface Member {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly default?: unknown;
}

const FIELDS_MAX = 30;

function kindOf({ type, enum: values }: Member): Kind {
  if (values !== undefined && values.every((one) => typeof one === 'string')) return 'choice';
  if (type === 'string' || type === 'number' || type === 'integer' || type === 'boolean') {
    return type;
  }
  return 'json';
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function fieldOf(name: string, member: Member, isRequired: boolean): SchemaField {
  const kind = kindOf(member);
  const choices = kind === 'boolean' ? ['true', 'false'] : (member.enum ?? []).map(String);
  const initial = textOf(member.default);
  return {
    name,
    kind,
    choices,
    isRequired,
    hint: [member.description ?? '', kind === 'json' ? 'as JSON' : ''].filter(Boolean).join('; '),
    initial: kind === 'boolean' && isRequired && initial === '' ? 'false' : initial,
  };
}

/** Null where the schema does not say which members there are. */
export function fieldsOf(schema: unknown): readonly SchemaField[] | null {
  if (typeof schema !== 'object' || schema === null) return null;
  const { properties, required } = schema as { properties?: unknown; required?: unknown };
  if (typeof properties !== 'object' || properties === null) return null;
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries(properties as Record<string, Member>);
  if (members.length > FIELDS_MAX) return null;
  return members.map(([name, member]) => fieldOf(name, member, needed.has(name)));
}

function valueOf({ kind }: SchemaField, text: string): unknown {
  if (kind === 'number' || kind === 'integer') return Number(text);
  if (kind === 'boolean') return text === 'true';
  return kind === 'json' ? jsonIn(text) : text;
}

/** The input that the fields say; what is empty and not required is left out. */
export function inputOf(
  fields: readonly SchemaField[],
  read: (name: string) => string,
): Record<string, unknown> {
  const filled = fields.filter((field) => field.isRequired || read(field.name) !== '');
  return Object.fromEntries(filled.map((field) => [field.name, valueOf(field, read(field.name))]));
}
