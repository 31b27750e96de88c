import { sql } from 'kysely'
import type { Database, HalfWay, Write } from '../../database/schema.ts'

/** The proof that a way to sign in gives. */
interface Shows {
  /** Minutes for which it replaces the password, where a form would ask for it again; 0: never. */
  readonly replacesPassword: number
  /** Only where there is no password to ask for. */
  readonly isForLackOfPassword?: true
  /** Only where a key is asked for. */
  readonly isForKeys?: true
}

/**
 * What is asked for. A way in: the account's password, address, passkeys and the like, for which a password is typed each time (OWASP
 * ASVS 5.0, 6.2.3), and settings that let others in. A key: what gives a program, or a file, some of the account's rights.
 */
export type Asked = 'way-in' | 'key'

/**
 * Every way to sign in, and the second steps after one. The security log tells them apart by these names, and sessions remember the
 * one that replaces the password for longest. A sign-in link is how a forgotten password is replaced, so it does for as long as a link
 * lives (OWASP ASVS 5.0, 6.2.3).
 */
export const WAYS = {
  password: { replacesPassword: 15, isForKeys: true },
  link: { replacesPassword: 60 },
  passkey: { replacesPassword: 15 },
  /** The second step with an authenticator app or a recovery code. */
  code: { replacesPassword: 0 },
  /** An account at a provider; `fresh-provider`: which has asked who it is just now, and not relied on an older sign-in. */
  provider: { replacesPassword: 15, isForLackOfPassword: true },
  'fresh-provider': { replacesPassword: 15 },
  'sign-up': { replacesPassword: 0 },
  'set-up': { replacesPassword: 0 },
} as const satisfies Record<string, Shows>

export type Way = keyof typeof WAYS

/** The ways that replace the password for a while, as sessions remember them: sessions_proof_known. */
export type Proving = { [Name in Way]: (typeof WAYS)[Name]['replacesPassword'] extends 0 ? never : Name }[Way]

/** An act that can't be undone asks for a proof of identity from the last so many minutes. */
export const FRESH_MINUTES = 15

/** Ways after which a second factor is asked for, where there is one. Of the others a passkey is two factors by itself. */
const HALF_WAYS: ReadonlySet<Way> = new Set<HalfWay>(['password', 'link', 'provider', 'fresh-provider'])

export function isHalfWay(way: Way): way is HalfWay {
  return HALF_WAYS.has(way)
}

/** Ways in which a new account's password is typed. */
const FIRST_PASSWORD: readonly Way[] = ['sign-up', 'set-up']

/** The proof that replaces the password for longest, of several given at once; null: none does. */
export function provingWay(ways: readonly Way[]): Proving | null {
  const shown = ways.map((way) => (FIRST_PASSWORD.includes(way) ? 'password' : way))
  const [best] = shown.filter(isProving).sort((a, b) => worthOf(b) - worthOf(a))
  return best ?? null
}

/**
 * Minutes for which a session that began so may do without the password.
 * @param hasPassword whether there is one
 */
export function minutesWithout(way: Proving, hasPassword: boolean, asked: Asked): number {
  const { replacesPassword, isForLackOfPassword, isForKeys }: Shows = WAYS[way]
  const isVoid = (isForLackOfPassword === true && hasPassword) || (isForKeys === true && asked !== 'key')
  return isVoid ? 0 : replacesPassword
}

function worthOf(way: Proving): number {
  return minutesWithout(way, true, 'way-in')
}

function isProving(way: Way): way is Proving {
  return WAYS[way].replacesPassword > 0
}

/** How many ways to sign in a person has of their own. The last stays: mailed links only recover accounts. */
export async function countOwnWays(db: Database | Write, personId: number): Promise<number> {
  const { count } = await db
    .selectNoFrom([
      sql<number>`(select count(*) from people where id = ${personId} and password_hash is not null)
        + (select count(*) from passkeys where person_id = ${personId})
        + (select count(*) from linked_accounts where person_id = ${personId})`.as('count'),
    ])
    .executeTakeFirstOrThrow()
  return Number(count)
}
