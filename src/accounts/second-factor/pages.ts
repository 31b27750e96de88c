import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FormState } from '../../web/form.ts'
import { type PageContext, page } from '../../web/page.ts'
import { factorsOf } from '../identity/factors.ts'
import { relyingPartyOf } from '../identity/relying-party.ts'
import { forgetHalfSignIn, type HalfSignIn } from '../sessions/half-sign-ins.ts'
import { countRecoveryCodes, findSecondFactor } from './second-factor.ts'
import { appSetUp } from './totp.ts'

/**
 * Where a second factor stands. `codesCount`: recovery codes that still work.
 * @param account what they sign in with, for the app
 */
export async function secondFactorStep({ server, db, config, person }: PageContext, account: string) {
  const { id } = person()
  const factor = await findSecondFactor(db, server.secretKeys, id)
  return {
    setUp:
      factor === null || factor.isOn || factor.secret === null
        ? null
        : appSetUp(factor.secret, account, `Handup ${new URL(config.baseUrl).hostname}`),
    codesCount: await countRecoveryCodes(db, id),
  }
}

/** The second step of signing in: a code, a passkey, whichever there is. A code is typed again each time: it works once. */
export const showCode = page(
  'second-factor/code',
  {},
  async ({ t, db, config }, { personId }: HalfSignIn, { errors }: FormState) => {
    const factors = await factorsOf(db, personId)
    const hasPasskey = factors.hasPasskey && relyingPartyOf(config.baseUrl) !== null
    return {
      title: t('secondFactor.code.title'),
      form: { typed: {}, errors },
      signInPath: '/sign-in',
      hasApp: factors.hasApp,
      hasPasskey,
      head: { script: hasPasskey ? 'passkeys' : undefined },
    }
  },
)

/** Too late, or too many tries: back to the password. */
export function startAgain(request: FastifyRequest, reply: FastifyReply) {
  forgetHalfSignIn(request, reply)
  return reply.flash('secondFactor.flash.startAgain').redirect('/sign-in', 303)
}

/** Shows recovery codes, this once: only their hashes are kept. `nextPath`: where one goes on. */
export const showCodes = page(
  'second-factor/recovery-codes',
  {},
  ({ t }, codes: readonly string[], nextPath: string) => ({
    title: t('secondFactor.recovery.title'),
    codes,
    nextPath,
  }),
)
