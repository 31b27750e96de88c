import { z } from 'zod'

/**
 * Schemas with a name of their own in /api/v1/openapi.json. Each field is described by the message
 * api.field.<its name>.
 */
export const schemas = z.registry<{ id: string }>()

/** What programs read of something. What else a row has is left out (doors/api/answering.ts). */
export function resource<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  const schema = z.object(shape)
  schemas.add(schema, { id })
  return schema
}

export const id = z.int().positive()
export const count = z.int().nonnegative()
/** RFC 3339, in UTC. Of a row's time, which inside JSON is a text of PostgreSQL. */
export const time = z.coerce.date<Date>().meta({ type: 'string', format: 'date-time' })
/** A calendar day: 2026-12-01. */
export const day = z.string().meta({ format: 'date' })
export const url = z.string().meta({ format: 'uri' })
export const role = z.enum(['learner', 'assistant', 'instructor'])

/**
 * `preconditionFailed`, or the end of a message's key, is `precondition_failed`: names of programs are
 * snake_case.
 */
export function codeOf(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

type Snake<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name

/** A row with names as programs read them: `isPublic` is `is_public`. */
export function snaked<Row extends object>(row: Row) {
  const named = Object.entries(row).map(([name, value]) => [codeOf(name), value])
  return Object.fromEntries(named) as { [Name in keyof Row as Snake<Name>]: Row[Name] }
}
