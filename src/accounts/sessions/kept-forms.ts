import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { holder, table } from '../../database/table.ts'
import { term } from '../../database/terms.ts'
import { KEPT_FORMS } from '../../kernel/limits.ts'
import { cookieOf } from '../../web/cookies.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { networkOf } from '../../web/limits/limits.ts'
import { queryParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import { hashToken, newToken } from '../../web/tokens.ts'
import { formerPersonOf } from './sessions.ts'

/** What was typed waits a day for its author to sign in. */
const LIFE = term('keptForms')
const LIFE_SECONDS = 24 * 60 * 60
const COOKIE = 'kept'

export const keptForms = table(
  'kept_forms',
  { person_id: holder },
  { expired: sql`kept_at < now() - ${LIFE}` },
)

/**
 * Keeps the fields of a form for the browser that sent it. Both its cookie and the address it is sent to are needed to
 * have them back, so that nobody can put their words into somebody else's form. Where the browser still has the cookie of a
 * session that is over, nobody but its owner gets them. KEPT_FORMS bounds what is kept; the oldest go first.
 * @returns what the address of the form carries as `kept`; null when the form is larger than any that would be taken
 */
export async function keepForm(request: FastifyRequest, reply: FastifyReply, fields: Record<string, string>) {
  const kept = JSON.stringify(fields)
  if (Buffer.byteLength(kept) > KEPT_FORMS.bytes) return null
  const browser = request.cookies[COOKIE] ?? newToken()
  const id = newToken()
  const { db, config } = request.server
  const network = hashToken(`network ${networkOf(request.ip)}`)
  const personId = request.endedSession === null ? null : await formerPersonOf(db, request.endedSession)
  await db.transaction().execute(async (write) => {
    await write
      .insertInto('kept_forms')
      .values({
        token_hash: keyOf(browser, id),
        fields: kept,
        person_id: personId,
        browser_hash: hashToken(browser),
        network_hash: network,
      })
      .execute()
    await dropOldest(write, network)
  })
  reply.setCookie(COOKIE, browser, { ...cookieOf(config, COOKIE).options, maxAge: LIFE_SECONDS })
  return id
}

/**
 * The fields kept for this browser under the address's `kept`, for who typed them: whose session it was or, where nobody
 * knows, who opens them first. @returns null when there are none for the person who is signed in
 */
export async function findKeptForm(request: FastifyRequest): Promise<Record<string, string> | null> {
  const id = queryParam(request, 'kept')
  const browser = request.cookies[COOKIE]
  const { person } = request
  if (id === null || browser === undefined || person === null) return null
  const row = await request.server.db
    .updateTable('kept_forms')
    .set({ person_id: person.id })
    .where('token_hash', '=', keyOf(browser, id))
    .where('kept_at', '>', sql<Date>`now() - ${LIFE}`)
    .where((is) => is.or([is('person_id', 'is', null), is('person_id', '=', person.id)]))
    .returning('fields')
    .executeTakeFirst()
  return row?.fields ?? null
}

/** The form that `kept` or `draft` in the address brings back, saying so; or a fresh one. */
export function restoredForm(
  request: FastifyRequest,
  kept: Readonly<Record<string, string>> | null,
  values: Record<string, string> = {},
): FormState {
  if (kept === null) return freshForm(values)
  const [path = '/', query] = request.url.split('?')
  const parameters = new URLSearchParams(query)
  for (const name of ['kept', 'draft']) parameters.delete(name)
  return { ...freshForm({ ...values, ...kept }), discardPath: pathWith(path, Object.fromEntries(parameters)) }
}

/** Drops all forms kept for this browser: its next user typed none of them. */
export async function forgetKeptForms(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const browser = request.cookies[COOKIE]
  if (browser === undefined) return
  reply.clearCookie(COOKIE, { path: '/' })
  await request.server.db.deleteFrom('kept_forms').where('browser_hash', '=', hashToken(browser)).execute()
}

/** Deletes what is over the bounds. Rows that another sending deletes at the same time are left to it. */
async function dropOldest(write: Write, network: Buffer): Promise<void> {
  await sql`
    delete from kept_forms where token_hash = any(array(
      select token_hash from kept_forms where token_hash in (
        select token_hash from (
          select token_hash, row_number() over (order by kept_at desc, token_hash) as place
          from kept_forms where network_hash = ${network}) as of_network
        where place > ${KEPT_FORMS.network}
        union all
        select token_hash from (
          select token_hash, row_number() over (order by kept_at desc, token_hash) as place
          from kept_forms) as of_all
        where place > ${KEPT_FORMS.all})
      for update skip locked))`.execute(write)
}

function keyOf(browser: string, id: string): Buffer {
  return hashToken(`${browser} ${id}`)
}
