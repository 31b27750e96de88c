import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { type Factors, factorsOf } from '../identity/factors.ts'
import { relyingPartyOf } from '../identity/relying-party.ts'
import { forgetHalfSignIn } from '../sessions/half-cookie.ts'
import type { HalfSignIn } from '../sessions/half-sign-ins.ts'

interface CodePage extends Factors {
  readonly form: FormState
  readonly signInPath: string
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
  return reply.page<CodePage>(
    'second-factor/code',
    {
      title: translatorFor(request)('secondFactor.code.title'),
      form: { typed: {}, errors },
      signInPath: '/sign-in',
      hasApp,
      hasPasskey,
    },
    { status, ...(hasPasskey && { script: 'passkeys' }) },
  )
}

/** Too late, or too many tries: back to the password. */
export function startAgain(request: FastifyRequest, reply: FastifyReply) {
  forgetHalfSignIn(request, reply)
  return reply.flash('secondFactor.flash.startAgain').redirect('/sign-in', 303)
}
