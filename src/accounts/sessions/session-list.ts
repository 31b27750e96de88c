import Bowser from 'bowser'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { openForm } from '../../web/forms/door.ts'
import type { PageContext } from '../../web/page.ts'
import { textParam } from '../../web/params.ts'
import { securityPath } from '../../web/paths.ts'
import { hashToken } from '../../web/tokens.ts'
import { type InSession, ownAccount, ownWith, sessionOf } from '../identity/own-account.ts'
import { endOtherSessions, IDLE, WHOLE } from './sessions.ts'

const PATH = '/settings/sessions' as const

/** Sessions shown; a person with more ends the others at once. */
const SHOWN = 100

/** Where one is signed in: sessions that have not ended, the one asking first, then by when they were last seen, to the quarter of an hour. */
export async function sessionRows({ t, db, person, sessionToken }: PageContext, timeZone: string) {
  const isThis = sql<boolean>`token_hash = ${hashToken(sessionToken ?? '')}`
  const rows = await db
    .selectFrom('sessions')
    .select(['token_hash', 'user_agent', 'signed_in_at', 'last_seen_at', isThis.as('is_this')])
    .where('person_id', '=', person().id)
    .where('last_seen_at', '>', sql<Date>`now() - ${IDLE}`)
    .where('signed_in_at', '>', sql<Date>`now() - ${WHOLE}`)
    .orderBy(isThis, 'desc')
    .orderBy('last_seen_at', 'desc')
    .limit(SHOWN)
    .execute()
  return rows.map((row) => ({
    // Of no use as a session's token, whose hash it is.
    endPath: `${PATH}/${row.token_hash.toString('base64url')}/delete`,
    device: deviceName(row.user_agent, t),
    signedIn: writtenMoment(row.signed_in_at, timeZone, t),
    lastSeen: writtenMoment(row.last_seen_at, timeZone, t),
    isThis: row.is_this,
  }))
}

/** A device's name by its User-Agent header, such as "Firefox on Android". */
export function deviceName(userAgent: string, t: Translate): string {
  const device = deviceOf(userAgent)
  if (device === null) return t('accounts.sessions.unknown')
  const { browser, system } = device
  return system === null ? browser : t('accounts.sessions.device', { browser, system })
}

/** What a browser said it is; `system` null: it did not say. @returns null when it names no browser anybody knows */
export function deviceOf(userAgent: string) {
  if (userAgent === '') return null
  const { browser, os } = Bowser.parse(userAgent)
  if (browser.name === undefined || browser.name === '') return null
  return { browser: browser.name, system: os.name ?? null }
}

/** Ends one of one's own sessions, by the name that its path above has. */
export const sessionEnd = operation({
  name: 'end-session',
  right: 'have-account',
  find: ownWith<InSession & { readonly name: string }>,
  events: ['session-ended'],
  async run({ write, subject: { id, name }, note }) {
    const ended = await write
      .deleteFrom('sessions')
      .where('person_id', '=', id)
      .where('token_hash', '=', Buffer.from(name, 'base64url'))
      .executeTakeFirst()
    if (ended.numDeletedRows !== 1n) throw notFound()
    note('session-ended', {})
  },
})

/** Ends all of one's own sessions but the one that this is done in. */
const otherSessionsEnd = operation({
  name: 'end-other-sessions',
  right: 'have-account',
  find: ownAccount,
  events: ['other-sessions-ended'],
  async run({ write, subject: { id, sessionToken }, note }) {
    await endOtherSessions(write, id, sessionToken)
    note('other-sessions-ended', {})
  },
})

export function registerSessions(app: FastifyInstance): void {
  const formPage = () => securityPath('devices')
  openForm(app, `${PATH}/:session/delete`, sessionEnd, {
    key: (request) => ({ ...sessionOf(request), name: textParam(request, 'session') }),
    formPage,
    done: formPage,
    flash: () => 'accounts.flash.sessionEnded',
  })
  openForm(app, `${PATH}/delete-others`, otherSessionsEnd, {
    key: sessionOf,
    formPage,
    done: formPage,
    flash: () => 'accounts.flash.otherSessionsEnded',
  })
}
