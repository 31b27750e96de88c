import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { act } from '../../testing/act.ts'
import { rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { addPasskeyRow } from '../passkeys/row-testing.ts'
import { addLinkRow, addProviderRow } from '../providers/row-testing.ts'
import { beginSecondFactor, makeRecoveryCodes } from '../second-factor/second-factor.ts'
import { emailChangeRequest } from '../settings/operations.ts'
import { inSession, linkTo } from '../testing.ts'
import { emailConfirmation } from './email-confirmation.ts'

/** Gives an account one more of every way in that there is beside a password; `name`: of the passkey. */
export async function addEveryWay(
  { db, secretKeys }: FastifyInstance,
  person: { readonly id: number },
  name = 'Mine',
): Promise<void> {
  await inSession(db, person)
  await addPasskeyRow(db, person.id, name)
  await addLinkRow(db, person.id, await addProviderRow(db, `github-${person.id}-${name.toLowerCase()}`))
  await beginSecondFactor(db, secretKeys, person.id)
  const confirmed = { confirmed_at: sql`coalesce(confirmed_at, now())` }
  await setRows(db, 'second_factors', { person_id: person.id }, confirmed)
  await within(db, makeRecoveryCodes, person.id)
}

/** Uses a link of a letter that confirms an address; `isHolder`: with the account's password. */
export function confirm(db: Database, token: string, isHolder = true) {
  return act({ db }, emailConfirmation, { actor: null, key: { token, isHolder, personId: null } })
}

/** Reads the purposes of the links that an account was sent, and nobody used. */
export async function linksLeft(db: Database, { id }: { readonly id: number }) {
  return valuesOf(await rowsOf(db, 'mail_links', { person_id: id, used_at: null }), 'purpose')
}

/** Somebody in an account's session, who knows its password, gives it another address and opens that mailbox. */
export async function moveTo(
  db: Database,
  thief: Awaited<ReturnType<typeof inSession>>,
  email: string,
): Promise<void> {
  await act({ db }, emailChangeRequest, { ...thief, input: { new_email: email } })
  await confirm(db, (await linkTo(db, email)).token)
}
