import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { z } from 'zod'
import { type Database, REPORT_REASONS, type Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { choice, optional } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { refusal } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import type { Message } from '../../messages/catalogue.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm, surroundingsOf } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { idParam, textParam } from '../../web/params.ts'
import { coursePath, questionPath } from '../../web/paths.ts'
import { ground, mustHaveReason, note, rule } from '../cases/reasons.ts'
import { askableCourse } from '../courses/choices.ts'
import { type CourseContext, coursePage, headIn } from '../courses/course-page.ts'
import { course } from '../courses/find-course.ts'
import { CLOSING_REASONS } from '../posts/closing.ts'
import { asked } from '../posts/form.ts'
import { BULK_ACTS } from './acts.ts'
import { type BulkAct, bulkAct, carryOut, itemsOf, MOST_AT_ONCE, recordAct } from './record.ts'

type BulkName = keyof typeof BULK_ACTS
const NAMES = Object.keys(BULK_ACTS) as BulkName[]

/** What the acts ask for, each its own. */
const CHOSEN = {
  lecture: asked.lecture,
  tags: asked.tags,
  reason: optional(choice(CLOSING_REASONS)),
  ground: ground(),
  rule: rule(),
  note: note(),
}
type Chosen = z.output<z.ZodObject<typeof CHOSEN>>

/** Ids of questions: one, several, or text with spaces between. */
const questions = z
  .union([
    z.string(),
    z.number().transform(String),
    z.array(z.union([z.string(), z.number().transform(String)])),
  ])
  .transform((sent, context): number[] => {
    const ids = [...new Set((typeof sent === 'string' ? sent.split(' ') : sent).filter((id) => id !== ''))]
    const message = ids.length === 0 ? 'bulk.none' : ids.length > MOST_AT_ONCE ? 'bulk.many' : null
    const wrong = ids.every((id) => /^[1-9]\d{0,14}$/.test(id)) ? message : 'forms.choice'
    if (wrong !== null) context.addIssue({ code: 'custom', message: wrong, params: { max: MOST_AT_ONCE } })
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
    log('bulk-act', { courseId, bulkId, act: `bulk-${act}`, ids: ids.join(' '), isUndone: false })
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
  async delete(write: Write, courseId: number, { ground, rule, note }: Chosen) {
    if (ground === null) throw refusal('ground', 'reports.form.noReason')
    await mustHaveReason(write, courseId, { reason: ground, rule, note })
    return { ground, rule, note }
  },
} as const satisfies Record<BulkName, unknown>

/** Takes back what was done, once. */
export const bulkUndoing = operation({
  name: 'undo-bulk',
  right: 'work-desk',
  find: bulkAct,
  events: ['bulk-act'],
  async run({ write, subject: { bulkId, act, courseId, isUndone }, note: log }) {
    const items = await itemsOf(write, bulkId)
    const ids = items.filter(({ outcome }) => outcome === 'done').map(({ subject_id: id }) => id)
    if (isUndone || ids.length === 0) return { bulkId, act }
    await write.updateTable('bulk_acts').set({ undone_at: sql`now()` }).where('id', '=', bulkId).execute()
    log('bulk-act', { courseId, bulkId, act: `bulk-${act}`, ids: ids.join(' '), isUndone: true })
    return { bulkId, act }
  },
})

/** The questions that are chosen, with what can be done with them. */
export const showBulkForm = coursePage(
  'bulk/form',
  { place: 'questions', isBelow: true, right: 'work-desk', robots: 'noindex', isForStaff: true },
  async (context: CourseContext, refused: FormState | null = null, chosen: readonly string[] = []) => {
    const { t, db, course, person, formFields } = context
    const ids = chosen
      .filter((id) => /^[1-9]\d{0,14}$/.test(id))
      .slice(0, MOST_AT_ONCE)
      .map(Number)
    const form = refused ?? freshForm()
    const { lectures } = (await askableCourse(db, person(), course.id)) ?? { lectures: [] }
    const none = { value: '', text: t('bulk.choose') }
    const optionsOf = (names: readonly string[], words: string) => [
      none,
      ...names.map((value) => ({ value, text: t(`${words}.${value}`) })),
    ]
    return {
      title: t('bulk.title'),
      action: `${coursePath(course.slug)}/questions/bulk`,
      backPath: coursePath(course.slug),
      form,
      questions: (await chosenQuestions(db, course.id, ids)).map((question) => ({
        ...question,
        path: questionPath(question),
      })),
      fields: formFields('bulk', CHOSEN, form, {
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
          options: optionsOf(
            CLOSING_REASONS.filter((name) => name !== 'solved-elsewhere'),
            'closing.reason',
          ),
        },
        ground: { options: optionsOf(REPORT_REASONS, 'reports.reason') },
        note: { rows: 3 },
      }),
    }
  },
)

function chosenQuestions(db: Database, courseId: number, ids: readonly number[]) {
  return db
    .selectFrom('questions')
    .select(['id', 'title', 'audience'])
    .where('course_id', '=', courseId)
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .execute()
}

/** What became of an act, first what wasn't done and why: for the staff of its course. @throws Problem 403, 404 */
export const showReport = page(
  'bulk/report',
  { robots: 'noindex', isForStaff: true },
  async (context, id: number) => {
    const { t, db, server, person } = context
    const bulk = await bulkAct(db, id)
    requireRight(person(), 'work-desk', bulk)
    const { act, slug, isUndone } = bulk
    const course = slug === null ? null : await server.courses.findCourse(slug)
    const all = (await itemsOf(db, id)).filter(({ outcome }) => !isUndone || outcome === 'done')
    const items = all.map(({ kind, subject_id: subject, title, audience, ...item }) => {
      const outcome = isUndone ? item.undo_outcome : item.outcome
      const why = (isUndone ? item.undo_why : item.why) as readonly Message[] | null
      return {
        text: title ?? t(`audit.about.${kind}`, { id: subject }),
        path: title === null || audience === null ? null : questionPath({ id: subject, title, audience }),
        isDone: outcome === 'done',
        why: outcome === 'refused' ? (why ?? []) : [{ key: `bulk.why.${outcome ?? 'stopped'}` }],
      }
    })
    const done = items.filter(({ isDone }) => isDone)
    return {
      title: t(`bulk.act.${act}`),
      said: t(`bulk.report.${isUndone ? 'undone' : 'done'}.said`, { count: done.length, all: items.length }),
      left: items.filter(({ isDone }) => !isDone),
      done,
      // null: there is nothing to undo, or it is undone.
      undoPath: isUndone || done.length === 0 ? null : `/bulk/${id}/undo`,
      backPath: slug === null ? null : coursePath(slug),
      head: await headIn(context, course, 'questions', true),
    }
  },
)

const nameIn = (act: string): BulkAct => BULK_ACTS[NAMES.find((name) => name === act) ?? 'lecture']

export function registerBulk(app: FastifyInstance): void {
  const slugIn = (request: FastifyRequest) => textParam(request, 'course')
  const key = (request: FastifyRequest) => idParam(request, 'id')
  const carriedOut = (request: FastifyRequest, { bulkId, act }: { bulkId: number; act: string }) =>
    carryOut(request.server.db, bulkId, nameIn(act), request.person, surroundingsOf(request))
  const path = '/courses/:course/questions/bulk'
  app.get(path, (request, reply) => showBulkForm(request, reply, null, chosenIn(request.query)))
  openForm(app, path, questionsBulk, {
    key: slugIn,
    formPage: (request) => coursePath(slugIn(request)),
    afterwards: carriedOut,
    done: ({ bulkId }) => `/bulk/${bulkId}`,
    refused: (request, reply, form) => showBulkForm(request, reply, form, chosenIn(request.body)),
  })
  app.get('/bulk/:id', (request, reply) => showReport(request, reply, key(request)))
  openForm(app, '/bulk/:id/undo', bulkUndoing, {
    key,
    formPage: (request) => `/bulk/${key(request)}`,
    afterwards: carriedOut,
    done: ({ bulkId }) => `/bulk/${bulkId}`,
  })
}

/** The questions that a query or a form names. */
function chosenIn(sent: unknown): readonly string[] {
  const { question = [] } = (sent ?? {}) as { readonly question?: unknown }
  return [question].flat().flatMap((ids) => (typeof ids === 'string' ? ids.split(' ') : []))
}
