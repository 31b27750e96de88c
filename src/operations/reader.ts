import { z } from 'zod'
import type { Message } from '../messages/catalogue.ts'
import type { FieldError } from './refused.ts'

/** Reads what came for some fields: what it means, or what is wrong with it. Other names are not looked at. */
export type Reader<Values> = (
  sent: Readonly<Record<string, unknown>>,
) => { readonly ok: true; readonly values: Values } | { readonly ok: false; readonly errors: FieldError[] }

/** Makes a reader of fields of fields.ts. What is left out is empty, but for fields to which that makes a difference. */
export function reader<Fields extends z.ZodRawShape>(fields: Fields): Reader<z.output<z.ZodObject<Fields>>> {
  const schema = z.object(fields)
  const names = Object.keys(fields)
  return (sent) => {
    const given = names.map((name) => [name, givenTo(fields[name], sent[name])])
    const result = schema.safeParse(Object.fromEntries(given))
    if (result.success) return { ok: true, values: result.data }
    return { ok: false, errors: result.error.issues.map(errorOf) }
  }
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
