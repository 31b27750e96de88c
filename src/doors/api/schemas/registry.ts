import { z } from 'zod'

/** Schemas with a name of their own in /api/v1/openapi.json. Each field is described by the message api.field.<its name>. */
export const schemas = z.registry<{ id: string }>()

export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  schemas.add(schema, { id })
  return schema
}

export const id = z.int().positive()
export const count = z.int().nonnegative()
/** RFC 3339, in UTC. */
export const time = z.string().meta({ format: 'date-time' })
/** A calendar day: 2026-12-01. */
export const day = z.string().meta({ format: 'date' })
export const url = z.string().meta({ format: 'uri' })
export const role = z.enum(['learner', 'assistant', 'instructor'])

/** RFC 9457. */
export const problemSchema = named(
  'Problem',
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    instance: z.string(),
    errors: z
      .array(
        z.object({
          pointer: z.string().optional(),
          parameter: z.string().optional(),
          detail: z.string(),
          code: z.string(),
        }),
      )
      .optional(),
  }),
)
export type ProblemBody = z.input<typeof problemSchema>
