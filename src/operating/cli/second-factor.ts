import { findAccount } from '../../accounts/identity/queries.ts'
import { secondFactorRemoval } from '../admin/operations.ts'
import { performAsOperator } from './perform.ts'
import { CommandError, withDatabase } from './run.ts'

/**
 * Removes the second factor of a person who lost their phone or passkeys and their recovery codes. They are notified by
 * email.
 */
export async function turnOffSecondFactor(address: string): Promise<void> {
  await withDatabase(async (tools) => {
    const account = await findAccount(tools.db, address.trim().toLowerCase())
    if (account === null) throw new CommandError(`no one has an account with ${address}`)
    if (!(await performAsOperator(tools, secondFactorRemoval, account.id)))
      throw new CommandError(`${address} doesn’t use two-factor authentication`)
    console.log(`two-factor authentication is off for ${address}`)
  })
}
