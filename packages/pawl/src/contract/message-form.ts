// The form that asks a person for a message, made of the schema of who receives it.
export type MessageSchema = Readonly<Record<string, unknown>>;

type FieldKind = 'text' | 'number' | 'boolean' | 'choice' | 'json' | 'any';

/** A field of the form; its name is the member that it stands for, or '' for the whole value. */
export interface FormField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly title: string;
  readonly hint: string;
  readonly isRequired: boolean;
  readonly choices: readonly unknown[];
  readonly schema: MessageSchema;
}

/** What a browser sends, by the names of the fields. */
export type FormBody = ReadonlyMap<string, string>;

/** A schema that nobody has told: any text, and JSON where it is that. */
const ANYTHING: FormField = {
  name: '',
  kind: 'any',
  title: 'Answer',
  hint: 'A text, or JSON.',
  isRequired: false,
  choices: [],
  schema: {},
};

/** The fields by which a person says what a schema asks for. */
export function fieldsOf(schema: MessageSchema | null): readonly FormField[] {
  if (schema === null) return [ANYTHING];
  const { properties, required } = schema;
  if (schema['type'] !== 'object' || !isObject(properties)) {
    const title = textIn(schema, 'title') ?? 'Answer';
    return [fieldOf('', schema, { title, isRequired: true })];
  }
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, member]) => {
    const own = isObject(member) ? member : {};
    const title = textIn(own, 'title') ?? name;
    return fieldOf(name, own, { title, isRequired: needed.has(name) });
  });
}

function fieldOf(
  name: string,
  schema: MessageSchema,
  { title, isRequired }: Pick<FormField, 'title' | 'isRequired'>,
): FormField {
  const choices = choicesIn(schema);
  const kind = choices.length > 0 ? 'choice' : kindOf(schema);
  const hint = textIn(schema, 'description') ?? (kind === 'json' ? 'JSON.' : '');
  return { name, kind, title, hint, isRequired, choices, schema };
}

function kindOf({ type }: MessageSchema): FieldKind {
  switch (type) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case undefined:
      return 'any';
    default:
      return 'json';
  }
}

/** An `enum`, or constants of which one is asked for. */
function choicesIn({ enum: values, const: value, anyOf, oneOf }: MessageSchema): unknown[] {
  if (Array.isArray(values)) return values as unknown[];
  if (value !== undefined) return [value];
  const either = [anyOf, oneOf].find((one) => Array.isArray(one)) as unknown[] | undefined;
  const constants = (either ?? []).map((one) => (isObject(one) ? one['const'] : undefined));
  return constants.includes(undefined) ? [] : constants;
}

function isObject(value: unknown): value is MessageSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textIn(schema: MessageSchema, member: string): string | null {
  const text = schema[member];
  return typeof text === 'string' && text !== '' ? text : null;
}

/** Fields are named after members, and the form has nothing else in it. */
export function controlName({ name }: FormField): string {
  return `value/${name}`;
}

/** What is wrong with a field, for the person who filled it in. */
export interface FieldFault {
  readonly title: string;
  readonly message: string;
}

/**
 * The value that a form says, or what is wrong with it. It is looked at as far as a form goes:
 * patterns and the rest are the receiver's to check, who has the schema itself.
 */
export function valueIn(
  schema: MessageSchema | null,
  body: FormBody,
): { readonly value: unknown } | { readonly faults: readonly FieldFault[] } {
  const fields = fieldsOf(schema);
  const read = fields.map((field) => ({ field, ...memberIn(field, body.get(controlName(field))) }));
  const faults = read.flatMap(({ field, fault }) =>
    fault === undefined ? [] : [{ title: field.title, message: fault }],
  );
  if (faults.length > 0) return { faults };
  const [only] = read;
  if (only?.field.name === '') return { value: only.value ?? null };
  const members = read.filter(({ value }) => value !== undefined);
  return { value: Object.fromEntries(members.map(({ field, value }) => [field.name, value])) };
}

interface Member {
  readonly value?: unknown;
  readonly fault?: string;
}

function memberIn(field: FormField, text: string | undefined): Member {
  const { kind, isRequired, choices } = field;
  if (kind === 'boolean') return { value: text !== undefined };
  if (text === undefined || text === '') {
    const isText = kind === 'text' && text === '' && isRequired;
    if (isText) return textMember(field, '');
    return isRequired ? { fault: 'is needed' } : {};
  }
  switch (kind) {
    case 'number':
      return numberMember(field, Number(text));
    case 'text':
      return textMember(field, text);
    case 'choice': {
      const found = choices.find((choice) => JSON.stringify(choice) === text);
      return found === undefined ? { fault: 'must be one of the choices' } : { value: found };
    }
    case 'json': {
      const parsed = jsonIn(text);
      return parsed === undefined ? { fault: 'must be JSON' } : { value: parsed };
    }
    default:
      return { value: jsonIn(text) ?? text };
  }
}

function numberMember({ schema }: FormField, value: number): Member {
  const { type, minimum, maximum } = schema;
  if (!Number.isFinite(value)) return { fault: 'must be a number' };
  if (type === 'integer' && !Number.isSafeInteger(value))
    return { fault: 'must be a whole number' };
  if (typeof minimum === 'number' && value < minimum)
    return { fault: `must be ${minimum} or more` };
  if (typeof maximum === 'number' && value > maximum)
    return { fault: `must be ${maximum} or less` };
  return { value };
}

function textMember({ schema }: FormField, value: string): Member {
  const { minLength, maxLength } = schema;
  if (typeof minLength === 'number' && value.length < minLength) {
    return { fault: minLength === 1 ? 'is needed' : `must have ${minLength} characters or more` };
  }
  if (typeof maxLength === 'number' && value.length > maxLength) {
    return { fault: `must have ${maxLength} characters or fewer` };
  }
  return { value };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
