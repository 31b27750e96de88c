import type { FastifyRequest } from 'fastify'
import type { Person } from '../../rights/person.ts'
import { countRecoveryCodes } from './recovery-codes.ts'
import { findSecondFactor } from './second-factor.ts'
import { type AppSetUp, appSetUp } from './totp.ts'

/** views/second-factor/_second-factor.eta */
export interface SecondFactorStep {
  /** While it is set up; null otherwise. */
  readonly setUp: AppSetUp | null
  /** Recovery codes that still work. */
  readonly codesCount: number
}

/** Where a second factor stands. @param account what they sign in with, for the app */
export async function secondFactorStep(
  { server: { db, config, secretKeys } }: FastifyRequest,
  { id }: Person,
  account: string,
): Promise<SecondFactorStep> {
  const factor = await findSecondFactor(db, secretKeys, id)
  return {
    setUp:
      factor === null || factor.isOn || factor.secret === null
        ? null
        : appSetUp(factor.secret, account, `Handup ${new URL(config.baseUrl).hostname}`),
    codesCount: await countRecoveryCodes(db, id),
  }
}
