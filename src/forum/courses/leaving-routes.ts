import type { FastifyInstance } from 'fastify'
import { showSettings } from '../../accounts/settings/settings-page.ts'
import { openForm } from '../../web/forms/door.ts'
import { textParam } from '../../web/params.ts'
import { coursePath } from '../../web/paths.ts'
import { courseLeaving } from './operations.ts'

/** Leaving a course, by the form in one's settings. */
export function registerCourseLeaving(app: FastifyInstance): void {
  openForm(app, '/courses/:course/leaving', courseLeaving, {
    key: (request) => textParam(request, 'course'),
    formPage: () => '/settings#courses',
    done: ({ slug, isPublic }) => (isPublic ? coursePath(slug) : '/courses'),
    flash: () => 'courses.flash.left',
    refused: async (request, reply, form) =>
      showSettings(request, reply, request.requirePerson(), { leaving: form }, 422),
  })
}
