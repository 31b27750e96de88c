import type { FastifyInstance } from 'fastify'
import { showSettings } from '../../accounts/settings/settings-page.ts'
import { may } from '../../kernel/rights/rights.ts'
import { openForm } from '../../web/forms/door.ts'
import { listPage } from '../../web/list.ts'
import { page } from '../../web/page.ts'
import { textParam } from '../../web/params.ts'
import { coursePath } from '../../web/paths.ts'
import { CachedCourses, cachedAsides } from './cached-courses.ts'
import { registerKeptBar } from './course-bar.ts'
import { listCourses } from './queries.ts'
import { courseLeaving } from './roles.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly asides: ReturnType<typeof cachedAsides>
    readonly courses: CachedCourses
  }
}

/** `/courses/:course` belongs to the questions, as it is a list of them. */
export function registerCourses(app: FastifyInstance): void {
  app.decorate('asides', cachedAsides(app.db, app.changes))
  app.decorate('courses', new CachedCourses(app.db, app.changes))
  registerKeptBar(app)
  app.get('/courses', { config: { shared: { parameters: ['after', 'before'] } } }, (request, reply) =>
    showCourses(request, reply),
  )
}

export const showCourses = page('courses/index', {}, async (context) => {
  const { t, db, viewer, lang } = context
  const listed = await listPage(context, '/courses', 'count', (asked) => listCourses(db, viewer, asked))
  context.rendering?.dependsOn('site')
  return {
    title: t('courses.index.title'),
    newPath: may(viewer, 'make-course') ? '/courses/new' : null,
    courses: listed.rows.map((course) => ({
      ...course,
      path: coursePath(course.slug),
      lang: course.language === lang ? null : course.language,
    })),
    ...listed.links,
  }
})

export function registerCourseLeaving(app: FastifyInstance): void {
  openForm(app, '/courses/:course/leaving', courseLeaving, {
    key: (request) => textParam(request, 'course'),
    formPage: () => '/settings#courses',
    done: ({ slug, isPublic }) => (isPublic ? coursePath(slug) : '/courses'),
    flash: () => 'courses.flash.left',
    refused: async (request, reply, form) => showSettings(request, reply, { leaving: form }),
  })
}
