import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { apart, holder, table } from '../../database/table.ts'
import { noteEvent } from '../../kernel/audit/note.ts'
import { operation } from '../../kernel/operation.ts'
import { faceOf } from '../../text/face.ts'
import { openForm } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { queryParam } from '../../web/params.ts'
import { hashToken, newToken } from '../../web/tokens.ts'
import { logSerializers } from '../../web/transport/log-serializers.ts'
import { claimAccount } from '../address/address.ts'
import { lockPerson } from '../identity/lock.ts'
import { DeadLink } from '../identity/mail-links.ts'
import { OF_LINK, orDeadLink, showDeadLink, tokenOf } from '../identity/opened-link.ts'
import { welcome } from '../sessions/welcome.ts'

export const signInLinks = table(
  'sign_in_links',
  { person_id: apart(holder) },
  { expired: sql`expires_at < now() - interval '1 day'` },
)

/** OWASP ASVS 5.0, 6.4.1: a link that signs in lives an hour at the most. */
const LIFE = sql`interval '1 hour'`

/**
 * Makes a link that signs a person in, once, within an hour. Only the hash of its token is kept.
 * @param baseUrl the forum's public address, without a slash at the end
 * @returns the whole address
 */
export async function makeSignInLink(db: Database | Write, personId: number, baseUrl: string) {
  const token = newToken()
  await db
    .insertInto('sign_in_links')
    .values({ token_hash: hashToken(token), person_id: personId, expires_at: sql<Date>`now() + ${LIFE}` })
    .execute()
  return `${baseUrl}/sign-in/link?token=${token}`
}

/** Whom a link would sign in; null when it is used, too old or none of ours. Changes nothing. */
async function findSignInLink(db: Database, token: string) {
  const row = await db
    .selectFrom('sign_in_links as link')
    .innerJoin('people as person', 'person.id', 'link.person_id')
    .select(['person.id', 'person.display_name as displayName'])
    .where('link.token_hash', '=', hashToken(token))
    .where('link.used_at', 'is', null)
    .where('link.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row === undefined ? null : { ...row, token }
}

/**
 * Uses a link up. Of several at once only one is let in. An operator passes a link on to the owner of the address: when nobody
 * has confirmed that address yet, somebody else may have signed up under it, and their ways in end here (address/address.ts):
 * `isClaimed`.
 * @throws DeadLink for the others and for a link that is no good
 */
export const signInLinkUse = operation({
  name: 'use-sign-in-link',
  right: 'visit',
  find: linkOwner,
  limit: 'signIn',
  events: ['account-claimed'],
  async run({ write, subject: { token, person }, note }) {
    if (!(await useUp(write, token))) throw new DeadLink()
    const { id: personId, accessVersion, email } = person
    if (person.isConfirmed || email === null) return { personId, accessVersion, isClaimed: false }
    const access = await claimAccount(write, person, email)
    if (access === null) throw new DeadLink()
    note('account-claimed', { personId, way: 'link' })
    return { ...access, isClaimed: true }
  },
})

/** Locks whose link it is. @throws DeadLink */
async function linkOwner(write: Write, token: string) {
  const link = await write
    .selectFrom('sign_in_links')
    .select('person_id')
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirst()
  const person = link === undefined ? null : await lockPerson(write, link.person_id)
  if (person === null) throw new DeadLink()
  return { accountId: person.id, token, person }
}

async function useUp(write: Write, token: string): Promise<boolean> {
  const used = await write
    .updateTable('sign_in_links')
    .set({ used_at: sql<Date>`now()` })
    .where('token_hash', '=', hashToken(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

/**
 * One-time sign-in links. Opening one changes nothing, as mail scanners open every link; the button on the page signs in.
 * The forum's Referrer-Policy, same-origin, keeps the token from every other site. `no-referrer` would break the button: with
 * it a browser sends `Origin: null` (Fetch standard, "append a request Origin header"), which web/csrf.ts must refuse.
 */
export function registerLinks(app: FastifyInstance): void {
  app.get('/sign-in/link', { logSerializers }, async (request, reply) => {
    const link = await findSignInLink(app.db, queryParam(request, 'token') ?? '')
    return link === null ? showDeadLink(request, reply, DEAD_LINK) : showLink(request, reply, link)
  })

  openForm(app, '/sign-in/link', signInLinkUse, {
    key: tokenOf,
    ...OF_LINK,
    done: () => '/',
    shown(request, reply, { isClaimed, ...shown }) {
      const flash = isClaimed ? 'accounts.flash.claimedByLink' : 'accounts.flash.signedIn'
      return welcome(request, reply, { ...shown, way: 'link', path: isClaimed ? '/settings' : '/', flash })
    },
    failed(request, reply, error) {
      if (error instanceof DeadLink) noteEvent(request, 'sign-in-refused', { way: 'link' })
      return orDeadLink(DEAD_LINK)(request, reply, error)
    },
  })
}

const DEAD_LINK = { text: 'accounts.deadLink.text', advice: 'accounts.deadLink.advice' }

type SignInLink = NonNullable<Awaited<ReturnType<typeof findSignInLink>>>

export const showLink = page('accounts/link', {}, ({ t }, { token, ...person }: SignInLink) => ({
  title: t('accounts.link.title'),
  token,
  displayName: person.displayName,
  byline: faceOf(person),
  // Without the token, which the shell's own would carry on.
  signInPath: '/sign-in',
}))
