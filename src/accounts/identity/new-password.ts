import { z } from 'zod'
import type { Database } from '../../database/schema.ts'
import { refusal } from '../../operations/refused.ts'
import { PASSWORD } from './fields.ts'
import { hashPassword } from './passwords.ts'
import { guessableWords } from './queries.ts'
import { isWeakPassword } from './weak-passwords.ts'

/** A password to be, as it is stored. */
class HashedPassword {
  readonly hash: string

  constructor(hash: string) {
    this.hash = hash
  }
}

/** The field of an operation that sets a password. Doors hash it before (hashNewPassword): that takes long, and a transaction would wait. */
export const hashedPassword = z
  .instanceof(HashedPassword)
  .meta({ type: 'string', minLength: PASSWORD.min, maxLength: PASSWORD.max })

/** Words about the forum and the person, which are guessed first. */
export interface Guessable {
  readonly db: Database
  readonly baseUrl: string
  readonly whose: { readonly displayName: string; readonly email: string | null }
  /** Words that would be guessed as well. */
  readonly words?: readonly string[]
}

/** Hashes a password that its field has taken (fields.ts, newPassword). @throws Refused when it is easy to guess */
export async function hashNewPassword(password: string, guessable: Guessable): Promise<HashedPassword> {
  await refuseWeak(password, guessable)
  return new HashedPassword(await hashPassword(password))
}

/** @throws Refused when it is easy to guess */
export async function refuseWeak(password: string, { db, baseUrl, whose, words = [] }: Guessable) {
  if (isWeakPassword(password, [...(await guessableWords(db, baseUrl, whose)), ...words]))
    throw refusal('password', 'accounts.password.weak')
}
