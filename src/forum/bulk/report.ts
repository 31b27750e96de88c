import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { operation } from '../../kernel/operation.ts'
import { requireRight } from '../../kernel/require-right.ts'
import type { Message } from '../../messages/catalogue.ts'
import { openForm, surroundingsOf } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { idParam } from '../../web/params.ts'
import { coursePath, questionPath } from '../../web/paths.ts'
import { queuePath } from '../cases/pages/queue-page.ts'
import { headIn } from '../courses/course-page.ts'
import { BULK_ACTS } from './acts.ts'
import { type BulkAct, bulkAct, carryOut, itemsOf, type Subject } from './record.ts'

export const reportPath = (bulkId: number) => `/bulk/${bulkId}`

type BulkName = keyof typeof BULK_ACTS
const NAMES = Object.keys(BULK_ACTS) as BulkName[]
/** What is done to questions of a list; all else is done to what waits for moderation. */
const OF_LISTS: readonly string[] = ['lecture', 'tag', 'close']

const actOf = (act: string): BulkAct => BULK_ACTS[NAMES.find((name) => name === act) ?? 'lecture']

/** Takes back what was done, once. */
export const bulkUndoing = operation({
  name: 'undo-bulk',
  right: 'work-desk',
  find: bulkAct,
  events: ['bulk-act'],
  async run({ write, subject: { bulkId, act, courseId, isUndone }, note: log }) {
    const done = (await itemsOf(write, bulkId)).filter(({ outcome }) => outcome === 'done')
    if (isUndone || done.length === 0 || actOf(act).prepareUndo === null) return { bulkId, act }
    await write.updateTable('bulk_acts').set({ undone_at: sql`now()` }).where('id', '=', bulkId).execute()
    const ids = namesOf(done.map(({ kind, subject_id: id }) => ({ kind, id })))
    log('bulk-act', { courseId, bulkId, act: `bulk-${act}`, ids, isUndone: true })
    return { bulkId, act }
  },
})

/** The subjects of an act as the log has them, short as it keeps little: `12 15 answer 3 case 7`. */
export const namesOf = (subjects: readonly Subject[]) =>
  (['question', 'answer', 'reply', 'case'] as const)
    .flatMap((kind) => {
      const ids = subjects.filter((one) => one.kind === kind).map(({ id }) => id)
      return kind === 'question' || ids.length === 0 ? ids : [kind, ...ids]
    })
    .join(' ')

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
    const isOfList = slug !== null && (OF_LISTS.includes(act) || all.every(({ kind }) => kind === 'question'))
    return {
      title: t(`bulk.act.${act}`),
      said: t(`bulk.report.${isUndone ? 'undone' : 'done'}.said`, { count: done.length, all: items.length }),
      left: items.filter(({ isDone }) => !isDone),
      done,
      undo: isUndone || done.length === 0 ? null : undoOf(id, act),
      back: isOfList
        ? { path: coursePath(slug), text: t('bulk.back') }
        : { path: queuePath(slug), text: t('bulk.back.moderation') },
      head: await headIn(context, course, isOfList ? 'questions' : 'moderation', true),
    }
  },
)

/** @returns `path` null: it can't be taken back; `hint`: a message about that, or about what comes of it; null: there is none */
function undoOf(bulkId: number, act: string) {
  if (actOf(act).prepareUndo === null) return { path: null, hint: `bulk.final.${act}` }
  return { path: `${reportPath(bulkId)}/undo`, hint: act === 'reject' ? 'bulk.undo.reject' : null }
}

/** What follows an act that was recorded, or its undo. */
export const carriedOut = (request: FastifyRequest, { bulkId, act }: { bulkId: number; act: string }) =>
  carryOut(request.server.db, bulkId, actOf(act), request.person, surroundingsOf(request))

export function registerBulkReports(app: FastifyInstance): void {
  const key = (request: FastifyRequest) => idParam(request, 'id')
  app.get('/bulk/:id', (request, reply) => showReport(request, reply, key(request)))
  openForm(app, '/bulk/:id/undo', bulkUndoing, {
    key,
    formPage: (request) => reportPath(key(request)),
    afterwards: carriedOut,
    done: ({ bulkId }) => reportPath(bulkId),
  })
}
