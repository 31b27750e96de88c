import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../../kernel/rights/person.ts'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { factorsOf } from '../identity/factors.ts'
import { relyingPartyOf } from '../identity/relying-party.ts'
import { forgetHalfSignIn, type HalfSignIn } from '../sessions/half-sign-ins.ts'
import { countRecoveryCodes, findSecondFactor } from './second-factor.ts'
import { appSetUp } from './totp.ts'

/**
 * Where a second factor stands: views/second-factor/_second-factor.eta. `codesCount`: recovery codes that still work.
 * @param account what they sign in with, for the app
 */
export async function secondFactorStep(
  { server: { db, config, secretKeys } }: FastifyRequest,
  { id }: Person,
  account: string,
) {
  const factor = await findSecondFactor(db, secretKeys, id)
  return {
    setUp:
      factor === null || factor.isOn || factor.secret === null
        ? null
        : appSetUp(factor.secret, account, `Handup ${new URL(config.baseUrl).hostname}`),
    codesCount: await countRecoveryCodes(db, id),
  }
}

/** The second step of signing in: a code, a passkey, whichever there is. A code is typed again each time: it works once. */
export async function showCode(
  request: FastifyRequest,
  reply: FastifyReply,
  { personId }: HalfSignIn,
  { errors }: FormState,
  status = 200,
) {
  const { db, config } = request.server
  const { hasApp, hasPasskey: hasAny } = await factorsOf(db, personId)
  const hasPasskey = hasAny && relyingPartyOf(config.baseUrl) !== null
  reply.header('cache-control', 'private, no-store')
  const page = {
    title: translatorFor(request)('secondFactor.code.title'),
    form: { typed: {}, errors },
    signInPath: '/sign-in',
    hasApp,
    hasPasskey,
  }
  return reply.page('second-factor/code', page, {
    status,
    ...(hasPasskey && { script: 'passkeys' }),
  })
}

/** Too late, or too many tries: back to the password. */
export function startAgain(request: FastifyRequest, reply: FastifyReply) {
  forgetHalfSignIn(request, reply)
  return reply.flash('secondFactor.flash.startAgain').redirect('/sign-in', 303)
}

/** Shows recovery codes, this once: only their hashes are kept. @param nextPath where one goes on */
export function showCodes(
  request: FastifyRequest,
  reply: FastifyReply,
  codes: readonly string[],
  nextPath: string,
) {
  const page = { title: translatorFor(request)('secondFactor.recovery.title'), codes, nextPath }
  return reply.page('second-factor/recovery-codes', page)
}
