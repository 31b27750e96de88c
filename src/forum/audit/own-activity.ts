import type { FastifyInstance, FastifyRequest } from 'fastify'
import { translatorFor } from '../../web/language.ts'
import { pageLinks, pageRequest } from '../../web/pages.ts'
import { SECURITY } from '../../web/paths.ts'
import { listOwnEvents } from './queries.ts'
import { entryView } from './view.ts'

/** The account activity, sign-ins and security changes, for the page of security. */
export function registerOwnActivity(app: FastifyInstance): void {
  app.decorate('ownActivity', async (request: FastifyRequest, timeZone: string) => {
    const person = request.requirePerson()
    const t = translatorFor(request)
    const page = await listOwnEvents(app.db, person.id, pageRequest(request, 'time'))
    const links = pageLinks(page, ({ id, happened_at }) => ({ value: happened_at.getTime(), id }), SECURITY)
    const toSection = (path: string | null) => (path === null ? null : `${path}#activity`)
    return {
      entries: page.rows.map((row) => entryView(t, row, timeZone, false)),
      newerPath: toSection(links.newerPath),
      olderPath: toSection(links.olderPath),
    }
  })
}
