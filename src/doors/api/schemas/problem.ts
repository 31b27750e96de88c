import { z } from 'zod'
import { named } from './registry.ts'

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
