import Bowser from 'bowser'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { translatorFor } from '../../web/language.ts'
import { hashToken } from '../../web/tokens.ts'
import { IDLE, WHOLE } from './sessions.ts'

export interface SessionRow {
  /** Where it ends. */
  readonly endPath: string
  /** Such as "Firefox on Android". */
  readonly device: string
  readonly signedIn: Moment
  readonly lastSeen: Moment
  readonly isThis: boolean
}

/** Sessions shown; a person with more ends the others at once. */
const SHOWN = 100

export interface ListedSession {
  /** Names it in addresses. Of no use as a session's token, whose hash it is. */
  readonly name: string
  readonly userAgent: string
  readonly signedInAt: Date
  /** To the quarter of an hour. */
  readonly lastSeenAt: Date
  readonly isThis: boolean
}

/** A person's sessions that have not ended, the one asking first, then by when they were last seen. */
export async function listSessions(
  db: Database,
  personId: number,
  token: string | null,
): Promise<ListedSession[]> {
  const isThis = sql<boolean>`token_hash = ${hashToken(token ?? '')}`
  const rows = await db
    .selectFrom('sessions')
    .select(['token_hash', 'user_agent', 'signed_in_at', 'last_seen_at', isThis.as('is_this')])
    .where('person_id', '=', personId)
    .where('last_seen_at', '>', sql<Date>`now() - ${IDLE}`)
    .where('signed_in_at', '>', sql<Date>`now() - ${WHOLE}`)
    .orderBy(isThis, 'desc')
    .orderBy('last_seen_at', 'desc')
    .limit(SHOWN)
    .execute()
  return rows.map((row) => ({
    name: row.token_hash.toString('base64url'),
    userAgent: row.user_agent,
    signedInAt: row.signed_in_at,
    lastSeenAt: row.last_seen_at,
    isThis: row.is_this,
  }))
}

/** Where one is signed in. */
export async function sessionRows(
  request: FastifyRequest,
  { id }: Person,
  timeZone: string,
): Promise<SessionRow[]> {
  const t = translatorFor(request)
  const sessions = await listSessions(request.server.db, id, request.sessionToken)
  return sessions.map((session) => sessionRow(session, timeZone, t))
}

function sessionRow(session: ListedSession, timeZone: string, t: Translate): SessionRow {
  return {
    endPath: `/settings/sessions/${session.name}/delete`,
    device: deviceName(session.userAgent, t),
    signedIn: writtenMoment(session.signedInAt, timeZone, t),
    lastSeen: writtenMoment(session.lastSeenAt, timeZone, t),
    isThis: session.isThis,
  }
}

/** What a browser said it is. */
export interface Device {
  /** Such as Firefox. */
  readonly browser: string
  /** Such as Android; null: it did not say. */
  readonly system: string | null
}

/** A device's name by its User-Agent header, such as "Firefox on Android". */
export function deviceName(userAgent: string, t: Translate): string {
  const device = deviceOf(userAgent)
  if (device === null) return t('accounts.sessions.unknown')
  const { browser, system } = device
  return system === null ? browser : t('accounts.sessions.device', { browser, system })
}

/** null when it names no browser anybody knows. */
export function deviceOf(userAgent: string): Device | null {
  if (userAgent === '') return null
  const { browser, os } = Bowser.parse(userAgent)
  if (browser.name === undefined || browser.name === '') return null
  return { browser: browser.name, system: os.name ?? null }
}
