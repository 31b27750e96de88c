import type { FastifyInstance } from 'fastify'
import { operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import { agedMoment, writtenDate, writtenMoment } from '../../messages/spoken-moment.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { settingsPage } from '../../web/settings-nav.ts'
import { type InSession, ownWith, sessionOf } from '../identity/own-account.ts'
import { endGrant, listGrants } from './grants.ts'

const PATH = '/settings/apps' as const

/** The apps that someone let in. */
export function registerOwnApps(app: FastifyInstance): void {
  app.get(PATH, (request, reply) => showApps(request, reply))
  openForm(app, `${PATH}/:id/end`, appEnd, {
    key: (request) => ({ ...sessionOf(request), grantId: idParam(request, 'id') }),
    formPage: () => PATH,
    done: () => PATH,
    flash: () => 'apps.flash.ended',
  })
}

export const showApps = settingsPage('apps/index', PATH, {}, async ({ t, db, now, ...context }) => {
  const timeZone = await context.timeZone()
  const grants = await listGrants(db, context.person())
  return {
    title: t('apps.own.title'),
    apps: grants.map(({ scopes, isEverywhere, courses, ...grant }) => ({
      name: grant.name,
      // One app may be on several devices.
      called: `${grant.name}, ${writtenMoment(grant.createdAt, timeZone, t).text}`,
      from: grant.isRegistered ? t('apps.from.registered') : new URL(grant.clientId).host,
      scopes: scopes.map((scope) => t(`apps.scope.${scope}`)).join(', '),
      courses: isEverywhere ? t('apps.courses.all') : courses.map(({ title }) => title).join(', '),
      since: writtenDate(grant.createdAt, timeZone, t).text,
      lastUsed: grant.lastUsedAt === null ? null : agedMoment(grant.lastUsedAt, timeZone, t, now),
      endPath: `${PATH}/${grant.id}/end`,
    })),
  }
})

/** Ends what somebody lets an app do. */
const appEnd = operation({
  name: 'end-app',
  right: 'have-account',
  find: ownWith<InSession & { readonly grantId: number }>,
  events: ['app-ended'],
  async run({ write, subject: { id, grantId }, note }) {
    if (!(await endGrant(write, grantId, id))) throw notFound()
    note('app-ended', {})
  },
})
