import { z } from 'zod'
import { MEASURES, REPORT_REASONS } from '../../../database/schema.ts'
import { count, id, named, role, time, url } from './registry.ts'

const person = z.object({ id, name: z.string(), role: role.nullable() })
const reason = z.enum(REPORT_REASONS)

/** What staff handle in a list. Of `question`, `answer`, `reply` one is set unless the case is about a person. */
export const caseSchema = named(
  'Case',
  z.object({
    id,
    about: z.enum(['question', 'answer', 'reply', 'person']),
    question: id.nullable(),
    answer: id.nullable(),
    reply: id.nullable(),
    author: person.nullable(),
    course: z.string().nullable(),
    reason,
    state: z.enum(['open', 'upheld', 'declined']),
    reports_count: count,
    claimed_by: person.nullable(),
    opened_at: time,
    decided_at: time.nullable(),
    url,
  }),
)
export type CaseBody = z.input<typeof caseSchema>

const snapshot = z.object({
  title: z.string().nullable(),
  body: z.string().nullable(),
  taken_at: time,
  is_redacted: z.boolean(),
})

const report = z.object({
  reason,
  note: z.string(),
  reporter: z.object({ id: id.nullable(), name: z.string() }).nullable(),
  is_by_visitor: z.boolean(),
  reported_at: time,
})

const objection = z.object({
  note: z.string(),
  objected_at: time,
  outcome: z.enum(['keep', 'lift']).nullable(),
  answer: z.string().nullable(),
  answered_at: time.nullable(),
})

const measure = z.object({
  id,
  measure: z.enum(MEASURES),
  is_everywhere: z.boolean(),
  starts_at: time,
  ends_at: time.nullable(),
  ended_at: time.nullable(),
  objection: objection.nullable(),
})

/** A case with its evidence, and what was decided. */
export const wholeCaseSchema = named(
  'WholeCase',
  caseSchema.extend({
    version: z.int(),
    rule: z.string(),
    note: z.string(),
    reporter_note: z.string(),
    staff_note: z.string(),
    decided_by: z.string().nullable(),
    snapshots: z.array(snapshot),
    reports: z.array(report),
    measures: z.array(measure),
    record: z.object({ upheld: count, declined: count, measures: count, objections: count }).nullable(),
  }),
)
export type WholeCaseBody = z.input<typeof wholeCaseSchema>
