import { secondFactorRemoval } from '../../operating/admin/operations.ts'
import { accountCalled } from './account.ts'
import { performAsOperator } from './perform.ts'
import { CommandError, withDatabase } from './run.ts'

/**
 * Removes the second factor of a person who lost their phone or passkeys and their recovery codes. They are notified by
 * email, if they have an address.
 * @param called their email address, or the number of their account
 */
export async function turnOffSecondFactor(called: string): Promise<void> {
  await withDatabase(async (tools) => {
    const id = await accountCalled(tools.db, called)
    if (!(await performAsOperator(tools, secondFactorRemoval, id)))
      throw new CommandError(`${called} doesn’t use two-factor authentication`)
    console.log(`two-factor authentication is off for ${called}`)
  })
}
