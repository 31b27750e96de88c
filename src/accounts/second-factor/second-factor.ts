import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { holder, table } from '../../database/table.ts'
import { line } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { refusal } from '../../kernel/problem.ts'
import type { MessageValues } from '../../messages/catalogue.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { form } from '../../web/form.ts'
import { hashToken } from '../../web/tokens.ts'
import { hasSecondFactor, notifyOfRemoval } from '../identity/factors.ts'
import { type Circumstances, writeTo } from '../identity/letters.ts'
import type { LockedPerson } from '../identity/lock.ts'
import { makeMailLink } from '../identity/mail-links.ts'
import { type InSession, type OwnAccount, ownAccount, ownWith } from '../identity/own-account.ts'
import { outdateAccess } from '../sessions/endings.ts'
import { endOtherSessions } from '../sessions/sessions.ts'
import { openSecret, sealSecret } from './sealed-secret.ts'
import { newSecret, stepOf } from './totp.ts'

export const secondFactorTables = [
  table('second_factors', { person_id: holder }),
  table('recovery_codes', { person_id: holder }),
]

/** A set-up that was left is nobody's to finish, who finds the session open later. */
const FRESH = sql<Date>`now() - interval '15 minutes'`

/** A person's app, or null. `secret` null: no SECRET opens it. `isOn`: it has shown a right code. */
export async function findSecondFactor(db: Database | Write, keys: SecretKeys, personId: number) {
  const row = await db
    .selectFrom('second_factors')
    .select(['secret', 'confirmed_at'])
    .where('person_id', '=', personId)
    .where((where) => where.or([where('confirmed_at', 'is not', null), where('made_at', '>', FRESH)]))
    .executeTakeFirst()
  if (row === undefined) return null
  return { secret: openSecret(keys, personId, row.secret), isOn: row.confirmed_at !== null }
}

type SecondFactor = NonNullable<Awaited<ReturnType<typeof findSecondFactor>>>

/** Begins to set one up, with a new secret. One that is on stays as it is. */
export async function beginSecondFactor(db: Database | Write, keys: SecretKeys, personId: number) {
  const secret = sealSecret(keys, personId, newSecret())
  await db
    .insertInto('second_factors')
    .values({ person_id: personId, secret })
    .onConflict((conflict) =>
      conflict
        .column('person_id')
        .doUpdateSet({ secret, made_at: sql`now()`, last_step: 0 })
        .where('second_factors.confirmed_at', 'is', null),
    )
    .execute()
}

/**
 * Turns it on by a right code, ends other sessions, tells the owner.
 * @returns the recovery codes
 * @throws Refused when the code is wrong
 */
async function turnOn(
  write: Write,
  account: OwnAccount,
  factor: SecondFactor,
  code: string,
  circumstances: Circumstances,
): Promise<string[]> {
  const { id: personId, sessionToken } = account
  if (!(await isRightAppCode(write, personId, factor, code))) throw refusal('code', 'secondFactor.code.wrong')
  await write
    .updateTable('second_factors')
    .set({ confirmed_at: sql`now()` })
    .where('person_id', '=', personId)
    .execute()
  // A person who has only given the password so far was not asked for a code.
  await outdateAccess(write, personId)
  await endOtherSessions(write, personId, sessionToken)
  await notifyWithWayBack(write, account, 'secondFactorOn', circumstances)
  return makeRecoveryCodes(write, personId)
}

/** Whether a code is right: the app's of this half minute, once, or a recovery code, once. */
export async function useCode(db: Database, keys: SecretKeys, personId: number, code: string) {
  return db.transaction().execute(async (write) => {
    const factor = await findSecondFactor(write, keys, personId)
    // One that is still being set up signs nobody in.
    const isOfApp = factor?.isOn === true && (await isRightAppCode(write, personId, factor, code))
    return isOfApp || (await useRecoveryCode(write, personId, code))
  })
}

/** The six digits of an app's code, whatever blanks were typed; null: it is none. */
export function digitsOf(code: string): string | null {
  const digits = code.replace(/\s/g, '')
  return /^\d{6}$/.test(digits) ? digits : null
}

async function isRightAppCode(write: Write, personId: number, { secret }: SecondFactor, code: string) {
  const digits = digitsOf(code)
  if (digits === null || secret === null) return false
  const step = stepOf(secret, digits)
  if (step === null) return false
  // Of several tries with one code at once, one finds the step unused.
  const used = await write
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('person_id', '=', personId)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

/** Codes that a person gets at a time. */
export const RECOVERY_CODES = 8

/** Letters and digits that look like no other. Six groups of four are 119 bits, enough for a plain hash (ASVS 5.0, 6.5.2). */
const SIGNS = '23456789abcdefghjkmnpqrstuvwxyz'
const GROUPS = 6
const GROUP = 4

/** Replaces a person's recovery codes. @returns them, to be shown this once */
export async function makeRecoveryCodes(write: Write, personId: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode)
  await write.deleteFrom('recovery_codes').where('person_id', '=', personId).execute()
  await write
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ person_id: personId, code_hash: hashToken(plain(code)) })))
    .execute()
  return codes
}

/** Uses a recovery code up. @returns whether it was good: of several tries at once only one is */
async function useRecoveryCode(write: Write, personId: number, code: string): Promise<boolean> {
  const used = await write
    .updateTable('recovery_codes')
    .set({ used_at: sql`now()` })
    .where('person_id', '=', personId)
    .where('code_hash', '=', hashToken(plain(code)))
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

export async function countRecoveryCodes(db: Database, personId: number) {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select(sql<number>`count(*)`.as('count'))
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

function newCode(): string {
  const group = () => Array.from({ length: GROUP }, () => SIGNS[randomInt(SIGNS.length)]).join('')
  return Array.from({ length: GROUPS }, group).join('-')
}

/** However it was typed: groups and capitals make no difference. */
function plain(code: string): string {
  return code.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Tells of something new beside the password. Should it be a thief's, the owner would be out for good: so with a way back. */
export async function notifyWithWayBack(
  write: Write,
  person: LockedPerson,
  kind: 'secondFactorOn' | 'passkeyAdded' | 'accountLinked',
  circumstances: Circumstances,
  values: MessageValues = {},
): Promise<void> {
  const { id: personId, email } = person
  if (email === null) return
  const token = await makeMailLink(write, { personId, purpose: 'undo-second-factor', email })
  await writeTo(write, person, kind, circumstances, { token, values })
}

/** Six digits of an app, or a recovery code with whatever between its groups. */
const codeField = line({
  min: 1,
  max: 100,
  short: 'secondFactor.code.missing',
  long: 'secondFactor.code.wrong',
})

export const codeForm = form({ code: codeField })

/** One's own account, and what seals the secrets that apps are given. */
const ownWithKeys = ownWith<InSession & { readonly keys: SecretKeys }>

export const appSetUp = operation({
  name: 'set-up-second-factor',
  right: 'have-account',
  find: ownWithKeys,
  limit: 'signIn',
  run: async ({ write, subject: { keys, id } }) => beginSecondFactor(write, keys, id),
})

/** Turns it on when the app shows a right code. @returns the recovery codes, to be shown this once; null when nothing is being set up */
export const appConfirmation = operation({
  name: 'turn-second-factor-on',
  right: 'have-account',
  find: ownWithKeys,
  limit: 'signIn',
  input: { code: codeField },
  events: ['second-factor-on'],
  async run({ write, subject, input: { code }, note, ...where }) {
    const factor = await findSecondFactor(write, subject.keys, subject.id)
    if (factor === null || factor.isOn) return null
    const codes = await turnOn(write, subject, factor, code, where)
    note('second-factor-on', {})
    return codes
  },
})

/** Replaces the recovery codes; the owner is told. @returns them, to be shown this once; null when no second factor is on */
export const recoveryCodesRenewal = operation({
  name: 'renew-recovery-codes',
  right: 'have-account',
  find: ownAccount,
  limit: 'signIn',
  events: ['recovery-codes-made'],
  async run({ write, subject, note, ...where }) {
    if (!(await hasSecondFactor(write, subject.id))) return null
    await writeTo(write, subject, 'recoveryCodes', where)
    note('recovery-codes-made', {})
    return makeRecoveryCodes(write, subject.id)
  },
})

export const appRemoval = operation({
  name: 'turn-second-factor-off',
  right: 'have-account',
  find: ownAccount,
  limit: 'signIn',
  events: ['second-factor-off'],
  async run({ write, subject, note, ...where }) {
    const row = await write
      .deleteFrom('second_factors')
      .where('person_id', '=', subject.id)
      .returning('confirmed_at')
      .executeTakeFirst()
    if (row !== undefined && row.confirmed_at !== null) await notifyOfRemoval(write, subject, where)
    note('second-factor-off', {})
  },
})
