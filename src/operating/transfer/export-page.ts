import type { FastifyInstance, FastifyRequest } from 'fastify'
import { askingOf, refuseFormOfStranger } from '../../accounts/identity/reauthentication.ts'
import { runningPage } from '../../forum/course-settings/nav.ts'
import { courseFor } from '../../forum/courses/find-course.ts'
import { notFound } from '../../kernel/problem.ts'
import { momentOf } from '../../text/moment.ts'
import { type FormState, form, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam, textParam } from '../../web/params.ts'
import { courseSettingsPath } from '../../web/paths.ts'
import { courseExport, exportKind, ownExports } from './asked-export.ts'

const PATH = '/courses/:course/settings/export' as const
export const exportPath = (slug: string) => `${courseSettingsPath(slug)}/export`
const MB = 1024 * 1024

/** Copies of a course that instructors take out of the forum, each for who asked for it. */
export function registerExports(app: FastifyInstance): void {
  const { db, pictures: store, config } = app
  const slugIn = (request: FastifyRequest) => textParam(request, 'course')
  if (app.changes !== null) app.jobs.start(exportKind(db, { store, baseUrl: config.baseUrl }))
  app.get(PATH, (request, reply) => showExports(request, reply))
  openForm(app, PATH, courseExport, {
    key: slugIn,
    formPage: (request) => exportPath(slugIn(request)),
    async instead(request, reply) {
      await courseFor(request, 'export-course')
      return refuseFormOfStranger(request, reply, form(courseExport.input), showExports, 'key')
    },
    done: ({ slug }) => exportPath(slug),
    flash: () => 'transfer.export.asked',
    refused: showExports,
  })
  app.get(`${PATH}/:export`, async (request, reply) => {
    const course = await courseFor(request, 'export-course')
    const own = await ownExports(db, course.id, request.requirePerson().id)
    const asked = own.find(({ id, state }) => state === 'made' && id === idParam(request, 'export'))
    const content = asked && (await store.stream(asked.file))
    if (asked === undefined || content == null) throw notFound()
    const name = `${course.slug}-${asked.asked_at.toISOString().slice(0, 10)}.tar.zst`
    return reply
      .type('application/zstd')
      .header('content-disposition', `attachment; filename="${name}"`)
      .header('cache-control', 'no-store')
      .header('content-length', String(asked.bytes))
      .send(content)
  })
}

/** The form for a copy of a course, and those that its viewer asked for: views/transfer/export.eta. */
export const showExports = runningPage(
  'transfer/export',
  'transfer',
  {},
  async (context, form: FormState = freshForm()) => {
    const { t, db, course, formFields } = context
    const path = exportPath(course.slug)
    const timeZone = await context.timeZone()
    const exports = await ownExports(db, course.id, context.person().id)
    return {
      title: t('transfer.export.title'),
      ...{ form, path },
      fields: formFields('transfer', courseExport.input, form),
      ...(await askingOf(context, 'key')),
      exports: exports.map(({ id, state, is_pseudonymous: isPseudonymous, bytes, asked_at: at }) => ({
        what: t(`transfer.export.${isPseudonymous ? 'pseudonymous' : 'named'}`),
        path: state === 'made' ? `${path}/${id}` : null,
        said: t(`transfer.export.${state}`, { size: Math.max(0.1, (bytes ?? 0) / MB) }),
        at: momentOf(at, timeZone),
      })),
      isWaiting: exports.some(({ state }) => state === 'waiting'),
      importPath: `${courseSettingsPath(course.slug)}/import`,
      head: { about: course.title },
    }
  },
)
