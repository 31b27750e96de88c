import { z } from 'zod'
import type { Message } from '../messages/catalogue.ts'
import type { FieldError } from './refused.ts'

type Sent = Readonly<Record<string, unknown>>

/** What fields mean, or what is wrong with them. */
export type Read<Values> =
  | { readonly ok: true; readonly values: Values }
  | { readonly ok: false; readonly errors: FieldError[] }

/** Reads what came for some fields. Other names are not looked at. */
export interface Reader<Values> {
  read(sent: Sent): Promise<Read<Values>>
  /** The same where no field is Markdown, which is rendered elsewhere. */
  readAtOnce(sent: Sent): Read<Values>
}

/** Makes a reader of fields of fields.ts. What is left out is empty, but for fields to which that makes a difference. */
export function reader<Fields extends z.ZodRawShape>(fields: Fields): Reader<z.output<z.ZodObject<Fields>>> {
  const schema = z.object(fields)
  const given = (sent: Sent) =>
    Object.fromEntries(Object.keys(fields).map((name) => [name, givenTo(fields[name], sent[name])]))
  return {
    read: async (sent) => readOf(await schema.safeParseAsync(given(sent))),
    readAtOnce: (sent) => readOf(schema.safeParse(given(sent))),
  }
}

function readOf<Values>(result: z.ZodSafeParseResult<Values>): Read<Values> {
  if (result.success) return { ok: true, values: result.data }
  return { ok: false, errors: result.error.issues.map(errorOf) }
}

function givenTo(field: unknown, value: unknown): unknown {
  if (value === undefined && field instanceof z.ZodType && field.isOptional()) return undefined
  return value ?? ''
}

/** Of an issue of fields.ts: its message is a key. Any other is about a value that is no text. */
function errorOf(issue: z.core.$ZodIssue): FieldError {
  const field = String(issue.path[0])
  if (issue.code !== 'custom') return { field, message: { key: 'forms.repeated' } }
  const { message: key } = issue
  const values = issue.params as Message['values']
  return { field, message: values === undefined ? { key } : { key, values } }
}
