import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { actor, table } from '../../database/table.ts'
import { personOf } from '../../kernel/actor.ts'
import { typedDay } from '../../kernel/fields.ts'
import { markWith } from '../../kernel/mark.ts'
import { refusal } from '../../kernel/problem.ts'
import { dayAhead } from './day-ahead.ts'
import { lockQuestion, question } from './lock.ts'

/** More would push the questions themselves out of sight. */
export const MAX_PINS = 5

const DEFAULT_DAYS = 7

/** Pins a question to the top of its course's list. `until`: the last day; left out: in seven days; empty: no longer. */
export const questionPin = markWith({
  name: 'pin-question',
  right: 'assign',
  find: question,
  address: '/questions/:id/pin',
  isForStaff: true,
  input: { until: typedDay.optional() },
  body: { fields: { until: typedDay }, required: [] },
  set: {},
  unset: { until: '' },
  events: ['staff-decided'],
  flash: { pinned: 'desk.flash.pinned', unpinned: 'desk.flash.unpinned' },
  asks: { name: 'until', type: 'date' },
  table: table('pins', { pinned_by: actor }, { key: ['question_id'] }),
  async run({ write, actor: doer, subject, input, note }) {
    const person = personOf(doer)
    const { id: questionId, courseId } = subject
    const isPinned = input.until !== ''
    if (isPinned) {
      const typed = input.until ?? DEFAULT_DAYS
      const { day: until, timeZone } = await dayAhead(write, { person, courseId }, typed)
      const outcome = await pinQuestion(write, { questionId, until, timeZone, actorId: person.id })
      if (outcome !== 'done') throw refusal('until', `desk.pin.${outcome}`, { max: MAX_PINS })
    } else await write.deleteFrom('pins').where('question_id', '=', questionId).execute()
    note('staff-decided', { act: isPinned ? 'pinned' : 'unpinned', questionId })
    return { subject, done: isPinned ? 'pinned' : 'unpinned' } as const
  },
})

/**
 * Pins a question to the top of its course's list until the end of a day, in place of an earlier day.
 * @returns 'full': five others are pinned; 'private': no shared list holds it
 */
export async function pinQuestion(
  write: Write,
  pin: {
    readonly questionId: number
    readonly until: string
    readonly timeZone: string
    readonly actorId: number
  },
): Promise<'done' | 'full' | 'private'> {
  const { questionId, until, timeZone, actorId } = pin
  const { courseId } = await lockQuestion(write, questionId)
  // Two who pin at once wait for each other. Courses are locked after questions.
  await write.selectFrom('courses').select('id').where('id', '=', courseId).forNoKeyUpdate().execute()
  const { rows } = await sql<{ pinned: number; isListed: boolean }>`
    select (select count(*) from pins join questions on questions.id = pins.question_id and questions.is_listed
      where pins.course_id = ${courseId} and until > now() and pins.question_id <> ${questionId})::integer as pinned,
      is_listed as "isListed"
    from questions where id = ${questionId}`.execute(write)
  if (rows[0]?.isListed !== true) return 'private'
  if (rows[0].pinned >= MAX_PINS) return 'full'
  const end = sql<Date>`(${until}::date + 1)::timestamp at time zone ${timeZone}`
  await write
    .insertInto('pins')
    .values({ question_id: questionId, course_id: courseId, until: end, pinned_by: actorId })
    .onConflict((conflict) => conflict.column('question_id').doUpdateSet({ until: end, pinned_by: actorId }))
    .execute()
  return 'done'
}

export const isPinned = sql<boolean>`exists (select from pins where question_id = q.id and until > now())`

/** Until when the question `q` is pinned; null: it isn't. */
export const pinnedUntil = sql<Date | null>`(select until from pins where question_id = q.id and until > now())`

/** The pinned questions of a course, those that end last first. Index: pins_course. */
export const pinnedIn = (courseId: number) => sql<{ id: number }>`
  select pinned.id from pins join questions as pinned on pinned.id = pins.question_id and pinned.is_listed
  where pins.course_id = ${courseId} and pins.until > now() order by pins.until desc, pinned.id limit ${sql.lit(MAX_PINS)}`
