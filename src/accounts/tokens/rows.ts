import { agedMoment, writtenDate } from '../../messages/spoken-moment.ts'
import type { PageContext } from '../../web/page.ts'
import type { ListedToken } from './token.ts'

/** A token that was just made: shown once. */
export interface MadeToken {
  readonly name: string
  readonly token: string
}

/**
 * Tokens in the list of their owner: views/tokens/_tokens.eta. `course` null: all; `lastUsed` null: never.
 * @param path of the page that lists them
 */
export async function tokenRows(
  { t, now, ...context }: PageContext,
  tokens: readonly ListedToken[],
  path: string,
) {
  const timeZone = await context.timeZone()
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
export type TokenRow = Awaited<ReturnType<typeof tokenRows>>[number]
