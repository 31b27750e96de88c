import { z } from 'zod'
import { DESK_VIEWS } from '../../../forum/desk/views.ts'
import { UNITS } from '../../../forum/figures/periods.ts'
import { FIGURES } from '../../../forum/figures/tables.ts'
import { answerSchema, questionSchema, replySchema } from './posts.ts'
import { count, day, id, named, role, time, url } from './registry.ts'

const staff = z.object({ id, name: z.string(), role: role.nullable() })

export const deskView = z.enum(DESK_VIEWS)

export const deskSchema = named(
  'DeskEntry',
  z.object({
    question: id,
    title: z.string(),
    lecture: z.int().nullable(),
    votes_count: count,
    is_private: z.boolean(),
    is_overdue: z.boolean(),
    waiting_since: time.nullable(),
    classmates_since: time.nullable(),
    asker_since: time.nullable(),
    replied_since: time.nullable(),
    snoozed_until: time.nullable(),
    assignee: staff.nullable(),
    url,
  }),
)

/** null: none. `few`: behaviour of fewer than five people, so that nothing is said; counts are always numbers. */
const cell = z.union([z.number(), z.literal('few'), z.string(), z.null()])

export const analyticsSchema = named(
  'Analytics',
  z.object({
    from: day,
    to: day,
    period: z.enum(UNITS),
    tables: z.array(
      z.object({
        name: z.enum(FIGURES),
        columns: z.array(z.object({ name: z.string(), kind: z.string() })),
        rows: z.array(z.array(cell)),
      }),
    ),
  }),
)

/** A line of the export: a question with all below it. */
export const exportSchema = named(
  'ExportedQuestion',
  questionSchema.extend({
    answers: z.array(answerSchema.extend({ replies: z.array(replySchema) })),
    replies: z.array(replySchema),
  }),
)
