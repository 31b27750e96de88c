import type { FastifyInstance } from 'fastify'
import { translatorFor } from '../../web/language.ts'
import { type PageLinks, pageLinks, pageRequest } from '../../web/pages.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'
import { listOwnEvents } from './queries.ts'
import { type EntryView, entryView } from './view.ts'

const PATH = '/settings/activity'

/** Routes of the account activity: sign-ins and security changes. */
export function registerOwnActivity(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => {
    const person = request.requirePerson()
    const t = translatorFor(request)
    const timeZone = person.timeZone ?? app.config.timeZone
    const page = await listOwnEvents(app.db, person.id, pageRequest(request, 'time'))
    return reply.page<InSettings & PageLinks & { readonly entries: readonly EntryView[] }>('audit/own', {
      title: t('audit.own.title'),
      entries: page.rows.map((row) => entryView(t, row, timeZone, false)),
      ...settingsNav(request, PATH),
      ...pageLinks(page, ({ id, happened_at }) => ({ value: happened_at.getTime(), id }), PATH),
    })
  })
}
