import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { runningPage } from '../../forum/course-settings/nav.ts'
import { courseFor } from '../../forum/courses/find-course.ts'
import { notFound } from '../../kernel/problem.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { redirectLines } from '../exchange/old-links.ts'
import { isOver, TAKEN_BACK_DAYS } from '../exchange/taking-back.ts'
import { whatStays } from '../exchange/what-stays.ts'
import { runOfImport } from './brought-import.ts'
import { importPath } from './import-page.ts'

const REASONS = ['isAnswered', 'isVoted', 'isEndorsed', 'isClaimed'] as const

/** The run of an import of a course that is shown, or is being taken back. @throws Problem 404 */
export async function runOf(db: Database, courseId: number, id: number) {
  const run = await runOfImport(db, id)
    .select(['run.id', 'run.state', 'brought.file_name as name', isOver('run').as('isOver')])
    .where('brought.course_id', '=', courseId)
    .where('run.state', '<>', 'reading')
    .executeTakeFirst()
  if (run === undefined) throw notFound()
  return run
}

/** Whether all of what was brought is read: it is taken back, and discarded no more. */
export async function isRead(db: Database, id: number): Promise<boolean> {
  const run = await runOfImport(db, id)
    .select('run.id')
    .where('run.state', '<>', 'reading')
    .executeTakeFirst()
  return run !== undefined
}

/** An import that is shown: how it is taken back, and what stays then. */
export const showShownImport = runningPage(
  'transfer/shown',
  'transfer',
  {},
  async (context, form: FormState = freshForm()) => {
    const { t, db, course, params } = context
    const id = idParam({ params }, 'run')
    const run = await runOf(db, course.id, id)
    const path = `${importPath(course.slug)}/${id}`
    const isOpen = run.state === 'shown' && !run.isOver
    const stays = isOpen ? await whatStays(db, run.id) : { count: 0, listed: [] }
    return {
      title: t('transfer.shown.title'),
      ...{ form, isOpen, name: run.name },
      state: t(`transfer.import.${run.state}`),
      undoPath: `${path}/undo`,
      redirectsPath: run.state === 'shown' ? `${path}/redirects.csv` : null,
      backPath: importPath(course.slug),
      days: TAKEN_BACK_DAYS,
      stays: {
        count: stays.count,
        listed: stays.listed.map(({ questionId, title, ...reasons }) => ({
          title,
          path: `/questions/${questionId}`,
          why: REASONS.filter((name) => reasons[name]).map((name) => t(`transfer.shown.${name}`)),
        })),
      },
    }
  },
)

/** `redirects.csv`: where links to the old forum lead, for its proxy. */
export function registerRedirects(app: FastifyInstance, path: string): void {
  app.get(`${path}/:run/redirects.csv`, async (request: FastifyRequest, reply) => {
    const course = await courseFor(request, 'import-posts')
    const run = await runOf(app.db, course.id, idParam(request, 'run'))
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="redirects.csv"')
      .header('cache-control', 'no-store')
      .send(Readable.from(redirectLines(app.db, run.id, app.config.baseUrl)))
  })
}
