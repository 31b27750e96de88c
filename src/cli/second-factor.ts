import { findAccount } from '../accounts/queries.ts'
import { removeFactors } from '../second-factor/factors.ts'
import { CommandError, withDatabase } from './run.ts'

/** For somebody who lost their phone or passkeys and their recovery codes. The owner is told by mail. */
export async function turnOffSecondFactor(address: string): Promise<void> {
  await withDatabase(async ({ db, config }) => {
    const account = await findAccount(db, address.trim().toLowerCase())
    if (account === null) throw new CommandError(`nobody has an account with ${address}`)
    const circumstances = { baseUrl: config.baseUrl, language: 'en' } as const
    const wasOn = await db.transaction().execute((write) => removeFactors(write, account.id, circumstances))
    if (!wasOn) throw new CommandError(`${address} has no second factor`)
    console.log(`${address} signs in without a second factor now`)
  })
}
