import type { Database } from '../../database/schema.ts'
import { findMergingAccount } from '../../forum/merging/preview.ts'
import { CommandError } from './run.ts'

/**
 * Finds the open account of an email address or, as one may have none, of a number: the one in the address of its admin page.
 * @throws CommandError when there is none
 */
export async function accountCalled(db: Database, typed: string): Promise<number> {
  const account = await findMergingAccount(db, typed)
  if (account === undefined) throw new CommandError(`no one has an account with ${typed}`)
  return account.id
}
