import { removeFactors } from '../../accounts/identity/factors.ts'
import { findAccount } from '../../accounts/identity/queries.ts'
import { CommandError, withDatabase } from './run.ts'

/**
 * Removes the second factor of a person who lost their phone or passkeys and their recovery codes. They are notified by
 * email.
 */
export async function turnOffSecondFactor(address: string): Promise<void> {
  await withDatabase(async ({ db, config }) => {
    const account = await findAccount(db, address.trim().toLowerCase())
    if (account === null) throw new CommandError(`no one has an account with ${address}`)
    const circumstances = { baseUrl: config.baseUrl, language: 'en' } as const
    const wasOn = await db.transaction().execute((write) => removeFactors(write, account.id, circumstances))
    if (!wasOn) throw new CommandError(`${address} doesn’t use two-factor authentication`)
    console.log(`two-factor authentication is off for ${address}`)
  })
}
