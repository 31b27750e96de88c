import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Database, Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { choice, optional } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { refusal } from '../../kernel/problem.ts'
import { isThere } from '../../kernel/rights/visibility.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { textParam } from '../../web/params.ts'
import { coursePath } from '../../web/paths.ts'
import { takeSelections } from '../../web/transport/body.ts'
import { askableCourse } from '../courses/choices.ts'
import { type CourseContext, coursePage } from '../courses/course-page.ts'
import { course } from '../courses/find-course.ts'
import { CLOSING_REASONS } from '../posts/closing.ts'
import { asked } from '../posts/form.ts'
import { mustHaveGround, optionsIn, REASON, reasonFields } from './reason-fields.ts'
import { chosenIn, ID, recordAct, several } from './record.ts'
import { carriedOut, namesOf, reportPath } from './report.ts'

const NAMES = ['lecture', 'tag', 'close', 'delete'] as const

/** What the acts ask for, each its own. */
const OWN = { lecture: asked.lecture, tags: asked.tags, reason: optional(choice(CLOSING_REASONS)) }
const CHOSEN = { ...OWN, ...REASON }
type Chosen = z.output<z.ZodObject<typeof CHOSEN>>

/** Ids of questions. */
const questions = several(ID).transform((ids, context) => {
  if (ids.length === 0) context.addIssue({ code: 'custom', message: 'bulk.none' })
  return ids.map(Number)
})

/** Does something to several questions of a course: recorded here, and then done to each in a transaction of its own. */
export const questionsBulk = operation({
  name: 'bulk-questions',
  right: 'work-desk',
  find: course,
  once: true,
  input: { act: choice(NAMES, 'bulk.act.none'), question: questions, ...CHOSEN },
  events: ['bulk-act'],
  async run({
    write,
    actor,
    subject: { id: courseId },
    input: { act, question: ids, ...chosen },
    note: log,
  }) {
    const madeBy = personOf(actor).id
    const input = await INPUTS[act](write, courseId, chosen)
    const subjects = ids.map((id) => ({ kind: 'question', id }) as const)
    const bulkId = await recordAct(write, { name: act, courseId, madeBy, input, subjects })
    log('bulk-act', { courseId, bulkId, act: `bulk-${act}`, ids: namesOf(subjects), isUndone: false })
    return { bulkId, act }
  },
})

/** What an act needs of the form. @throws Refused where it isn't there */
const INPUTS = {
  async lecture(write: Write, courseId: number, { lecture }: Chosen) {
    const there = write.selectFrom('lectures').select('id').where('course_id', '=', courseId)
    if (lecture !== null && (await there.where('position', '=', lecture).executeTakeFirst()) === undefined)
      throw refusal('lecture', 'questions.lecture.unknown')
    return { lecture: String(lecture ?? '') }
  },
  async tag(_write: Write, _courseId: number, { tags }: Chosen) {
    if (tags.length === 0) throw refusal('tags', 'bulk.tags.none')
    return { tags }
  },
  async close(_write: Write, _courseId: number, { reason }: Chosen) {
    if (reason === null) throw refusal('reason', 'bulk.reason.none')
    return { reason }
  },
  delete: mustHaveGround,
} as const satisfies Record<(typeof NAMES)[number], unknown>

/** The questions that are chosen, with what can be done with them. */
export const showBulkForm = coursePage(
  'bulk/form',
  { place: 'questions', isBelow: true, right: 'work-desk', robots: 'noindex', isForStaff: true },
  async (context: CourseContext, refused: FormState | null = null, chosen: readonly number[] = []) => {
    const { t, db, course, person, formFields } = context
    const form = refused ?? freshForm()
    const { lectures } = (await askableCourse(db, person(), course.id)) ?? { lectures: [] }
    const { lecture, tags, reason } = formFields('bulk', OWN, form, {
      lecture: {
        options: [
          { value: '', text: t('bulk.lecture.none') },
          ...lectures.map(({ position, title }) => ({
            value: position,
            text: t('questions.lecture.option', { position, title }),
          })),
        ],
      },
      tags: { autocomplete: 'off' },
      // Another reason asks for a question that answers it, for each its own.
      reason: {
        options: optionsIn(
          t,
          CLOSING_REASONS.filter((name) => name !== 'solved-elsewhere'),
          'closing.reason',
        ),
      },
    })
    const { ground, rule, note } = await reasonFields(context, course.id, form)
    const questions = await chosenQuestions(db, course.id, chosen)
    return {
      title: t('bulk.title'),
      action: `${coursePath(course.slug)}/questions/bulk`,
      back: { path: coursePath(course.slug), text: t('bulk.back') },
      form,
      chosen: {
        field: 'question',
        legend: t('bulk.questions', { count: questions.length }),
        items: questions.map(({ id, title }) => ({ value: id, text: title, about: null })),
      },
      none: t('bulk.none'),
      acts: [
        { name: 'lecture', rows: [lecture] },
        { name: 'tag', rows: [tags] },
        { name: 'close', rows: [reason] },
        { name: 'delete', rows: [ground, rule, note] },
      ].map((act) => ({ ...act, hint: null })),
    }
  },
)

function chosenQuestions(db: Database, courseId: number, ids: readonly number[]) {
  return db
    .selectFrom('questions')
    .select(['id', 'title'])
    .where('course_id', '=', courseId)
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('deleted_at', 'is', null)
    .where(isThere('questions'))
    .orderBy('id', 'desc')
    .execute()
}

export function registerBulk(app: FastifyInstance): void {
  const key = (request: FastifyRequest) => textParam(request, 'course')
  const chosen = (sent: unknown) => chosenIn(sent, 'question', ID).map(Number)
  const path = '/courses/:course/questions/bulk'
  app.register(async (scope) => {
    takeSelections(scope)
    scope.get(path, (request, reply) => showBulkForm(request, reply, null, chosen(request.query)))
    openForm(scope, path, questionsBulk, {
      key,
      formPage: (request) => coursePath(key(request)),
      afterwards: carriedOut,
      done: ({ bulkId }) => reportPath(bulkId),
      refused: (request, reply, form) => showBulkForm(request, reply, form, chosen(request.body)),
    })
  })
}
