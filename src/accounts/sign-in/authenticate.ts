import type { Database } from '../../database/schema.ts'
import type { Access } from '../identity/access.ts'
import { hashPassword, isOutdated, isRightPassword } from '../identity/passwords.ts'
import { type Account, findAccount } from '../identity/queries.ts'

/** Whose address and password these are; null: nobody's. Takes the same time for an address nobody has. */
export async function authenticate(db: Database, email: string, password: string): Promise<Access | null> {
  const account = await findAccount(db, email)
  const isRight = await isRightPassword(account?.passwordHash ?? null, password)
  if (!isRight || account === null) return null
  if (isOutdated(account.passwordHash ?? '')) await rehash(db, account, password)
  return { personId: account.id, accessVersion: account.accessVersion }
}

/** Unless the password was changed meanwhile: then the old one must not come back. */
async function rehash(db: Database, account: Account, password: string): Promise<void> {
  await db
    .updateTable('people')
    .set({ password_hash: await hashPassword(password) })
    .where('id', '=', account.id)
    .where('password_hash', '=', account.passwordHash)
    .execute()
}
