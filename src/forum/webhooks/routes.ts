import type { FastifyInstance } from 'fastify'
import type { FormState } from '../../web/form.ts'
import { textParam } from '../../web/params.ts'
import { runningPage } from '../course-settings/nav.ts'
import { courseFor } from '../courses/find-course.ts'
import { openWebhooks } from './doors.ts'
import { oneWebhook, webhookList } from './page.ts'

/** The webhooks of a course, whose pages are views/webhooks/course.eta and course-one.eta. */
export function registerWebhooks(app: FastifyInstance): void {
  openWebhooks(app, {
    path: '/courses/:course/settings/webhooks',
    slugIn: (request) => textParam(request, 'course'),
    mustManage: (request) => courseFor(request, 'manage-webhooks'),
    showList: showWebhooks,
    showOne: showWebhook,
  })
}

export const showWebhooks = runningPage(
  'webhooks/course',
  'webhooks',
  {},
  async (context, form?: FormState) => ({
    ...(await webhookList(context, context.course, form)),
    head: { about: context.course.title },
  }),
)

export const showWebhook = runningPage(
  'webhooks/course-one',
  'webhooks',
  { showsTexts: true },
  async (context, id: number, form?: FormState, secret?: string) => ({
    ...(await oneWebhook(context, context.course, id, form, secret)),
    head: { about: context.course.title },
  }),
)
