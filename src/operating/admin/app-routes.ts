import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { appRegistration, appRemoval, listApps } from '../../accounts/apps/registration.ts'
import { letsAgentsIn } from '../../kernel/rights/agents.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { listPage } from '../../web/list.ts'
import { idParam } from '../../web/params.ts'
import { adminPage } from './nav.ts'

const PATH = '/admin/apps' as const

/** The apps that people let in, and those that admins register for them. */
export function registerAppAdmin(app: FastifyInstance): void {
  app.get(PATH, (request, reply) => showAllApps(request, reply))
  const own = { key: () => null, formPage: () => PATH, done: () => PATH }
  openForm(app, PATH, appRegistration, {
    ...own,
    flash: () => 'apps.flash.registered',
    refused: (request: FastifyRequest, reply: FastifyReply, form: FormState) =>
      showAllApps(request, reply, form),
  })
  openForm(app, `${PATH}/:id/end`, appRemoval, {
    ...own,
    input: (request) => ({ id: idParam(request, 'id') }),
    flash: () => 'apps.flash.removed',
  })
}

export const showAllApps = adminPage('admin/apps', PATH, async (context, form: FormState = freshForm()) => {
  const { t, db, formFields } = context
  const timeZone = await context.timeZone()
  const listed = await listPage(context, PATH, 'count', (asked) => listApps(db, asked))
  return {
    title: t('apps.admin.title'),
    isOff: !(await letsAgentsIn(db)),
    ...listed.links,
    apps: listed.rows.map(({ id, createdAt, ...app }) => ({
      ...app,
      since: writtenDate(createdAt, timeZone, t).text,
      endPath: `${PATH}/${id}/end`,
    })),
    form,
    fields: formFields('apps', appRegistration.input, form, {
      name: { autocomplete: 'off' },
      redirect_uris: { spellcheck: false },
    }),
  }
})
