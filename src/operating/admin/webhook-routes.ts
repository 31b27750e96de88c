import type { FastifyInstance } from 'fastify'
import { openWebhooks } from '../../forum/webhooks/doors.ts'
import { oneWebhook, webhookList } from '../../forum/webhooks/page.ts'
import { FORUM_WEBHOOKS } from '../../forum/webhooks/stops.ts'
import { requireRight } from '../../kernel/require-right.ts'
import type { FormState } from '../../web/form.ts'
import { adminPage } from './nav.ts'

/** The webhooks of the forum, which are told of all its courses. */
export function registerForumWebhooks(app: FastifyInstance): void {
  openWebhooks(app, {
    path: FORUM_WEBHOOKS,
    slugIn: () => null,
    mustManage: (request) => requireRight(request.requirePerson(), 'manage-forum-webhooks', null),
    showList: showForumWebhooks,
    showOne: showForumWebhook,
  })
}

export const showForumWebhooks = adminPage('webhooks/forum', FORUM_WEBHOOKS, (context, form?: FormState) =>
  webhookList(context, null, form),
)

export const showForumWebhook = adminPage(
  'webhooks/forum-one',
  FORUM_WEBHOOKS,
  (context, id: number, form?: FormState, secret?: string) => oneWebhook(context, null, id, form, secret),
  { showsTexts: true },
)
