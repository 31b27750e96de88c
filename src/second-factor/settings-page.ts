import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../accounts/person.ts'
import { type Proof, proofForPassword } from '../accounts/queries.ts'
import { translatorOf } from '../messages/catalogue.ts'
import type { FormState } from '../web/form.ts'
import { languageOfRequest } from '../web/language.ts'
import { type Factors, factorsOf } from './factors.ts'
import { countRecoveryCodes } from './recovery-codes.ts'
import { findSecondFactor } from './second-factor.ts'
import { type AppSetUp, appSetUp } from './totp.ts'

declare module '../web/views.ts' {
  interface Pages {
    'second-factor/settings': SecondFactorPage
  }
}

export interface SecondFactorPage extends Factors {
  readonly form: FormState
  /** What the owner signs in with. */
  readonly account: string
  /** While it is set up; null otherwise. */
  readonly setUp: AppSetUp | null
  /** Recovery codes that still work. */
  readonly codesCount: number
  /** What turning it on and off asks for: accounts/queries.ts. */
  readonly proof: Proof['by']
}

/** Where a second factor stands, and the next step. Neither passwords nor codes that were typed come back. */
export async function showSecondFactor(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  { errors }: FormState,
  status = 200,
) {
  const { db, config } = request.server
  const factor = await findSecondFactor(db, person.id)
  const account = person.email ?? person.displayName
  const proof = await proofForPassword(db, person.id, request.sessionToken)
  return reply.page(
    'second-factor/settings',
    {
      title: translatorOf(languageOfRequest(request))('secondFactor.title'),
      form: { typed: {}, errors },
      ...(await factorsOf(db, person.id)),
      account,
      setUp:
        factor === null || factor.isOn
          ? null
          : appSetUp(factor.secret, account, `Handup ${new URL(config.baseUrl).hostname}`),
      codesCount: await countRecoveryCodes(db, person.id),
      proof: proof.by,
    },
    { status },
  )
}
