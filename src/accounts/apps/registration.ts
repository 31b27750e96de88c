import { sql } from 'kysely'
import { type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import { line, plain, text } from '../../kernel/fields.ts'
import { forum, operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { newToken } from '../../web/tokens.ts'
import { isRedirectAddress, MAX_NAME_LENGTH, MAX_REDIRECT_URIS } from './app.ts'

const PER_PAGE = 50
const MAX_TEXT_LENGTH = 10_000

/** Registers an app that people can let in where no document describes it. @returns the id that it asks by */
export const appRegistration = operation({
  name: 'register-app',
  right: 'manage-apps',
  find: forum,
  input: {
    name: line({ min: 1, max: MAX_NAME_LENGTH, short: 'apps.name.short' }),
    redirect_uris: text({ min: 1, max: MAX_TEXT_LENGTH, short: 'apps.redirect_uris.short' }),
  },
  events: ['app-registered'],
  async run({ write, input, note }) {
    const lines = input.redirect_uris.split('\n').map((one) => one.trim())
    const addresses = [...new Set(lines.filter((one) => one !== ''))]
    const wrong = addresses.find((address) => !isRedirectAddress(address))
    if (wrong !== undefined) throw refusal('redirect_uris', 'apps.redirect_uris.wrong', { address: wrong })
    if (addresses.length > MAX_REDIRECT_URIS)
      throw refusal('redirect_uris', 'apps.redirect_uris.many', { max: MAX_REDIRECT_URIS })
    const app = await write
      .insertInto('apps')
      .values({ client_id: newToken(), name: input.name, redirect_uris: addresses, is_registered: true })
      .returning(['id', 'client_id as clientId'])
      .executeTakeFirstOrThrow()
    note('app-registered', { appId: app.id })
    return app
  },
})

/** Ends an app for everyone who let it in. One with a document can ask again, as far as the settings of the forum allow. */
export const appRemoval = operation({
  name: 'remove-app',
  right: 'manage-apps',
  find: forum,
  input: { id: plain },
  events: ['app-removed'],
  async run({ write, input, note }) {
    const id = Number(input.id)
    // First what people let it do: deleted along with it, that would be counted by nobody.
    const ended = await write
      .deleteFrom('app_grants')
      .where('app_id', '=', id)
      .returning('person_id')
      .execute()
    const removed = await write.deleteFrom('apps').where('id', '=', id).executeTakeFirst()
    if (removed.numDeletedRows === 0n) throw notFound()
    note('app-removed', { appId: id, people: new Set(ended.map((grant) => grant.person_id)).size })
  },
})

/** Apps that admins registered or that someone let in, the newest first. `people`: how many let each in. */
export async function listApps(db: Database, request: PageRequest) {
  const { beyond, order } = pageAlong(null, 'app.id', 'count', request)
  const people = sql<number>`(select count(distinct person_id)::integer from app_grants where app_id = app.id)`
  const rows = await db
    .selectFrom('apps as app')
    .select(['app.id', 'app.client_id as clientId', 'app.name', 'app.redirect_uris as redirectUris'])
    .select(['app.is_registered as isRegistered', 'app.created_at as createdAt', people.as('people')])
    .where(beyond)
    .orderBy(order)
    .limit(PER_PAGE + 1)
    .execute()
  return pageOf(rows, PER_PAGE, request)
}
