import type { FastifyRequest } from 'fastify'
import { agedMoment, writtenDate } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { translatorFor } from '../../web/language.ts'
import type { ListedToken } from './token.ts'

/** A token in the list of its owner: views/tokens/_tokens.eta. */
export interface TokenRow {
  readonly name: string
  /** Names of its scopes. */
  readonly scopes: string
  /** null: all courses. */
  readonly course: string | null
  readonly createdAt: string
  readonly ends: Moment
  /** null: never. */
  readonly lastUsed: Moment | null
  /** The address that revokes it. */
  readonly endPath: string
}

/** A token that was just made: shown once. */
export interface MadeToken {
  readonly name: string
  readonly token: string
}

/** @param path of the page that lists them @param timeZone days are told in it */
export function tokenRows(
  request: FastifyRequest,
  tokens: readonly ListedToken[],
  { path, timeZone }: { readonly path: string; readonly timeZone: string },
): TokenRow[] {
  const t = translatorFor(request)
  const now = new Date()
  return tokens.map((token) => ({
    name: token.name,
    scopes: token.scopes.map((scope) => t(`tokens.scope.${scope}`)).join(', '),
    course: token.course_title,
    createdAt: writtenDate(token.created_at, timeZone, t).text,
    // The last day on which it works.
    ends: writtenDate(new Date(token.ends_at.getTime() - 1), timeZone, t),
    lastUsed: token.last_used_at === null ? null : agedMoment(token.last_used_at, timeZone, t, now),
    endPath: `${path}/${token.id}/end`,
  }))
}
