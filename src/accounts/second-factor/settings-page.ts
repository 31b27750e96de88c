import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../../rights/person.ts'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'
import { type Factors, factorsOf } from '../identity/factors.ts'
import { type Asking, askingOf } from '../identity/password-again.ts'
import { countRecoveryCodes } from './recovery-codes.ts'
import { findSecondFactor } from './second-factor.ts'
import { type AppSetUp, appSetUp } from './totp.ts'

interface SecondFactorPage extends Factors, Asking, InSettings {
  readonly form: FormState
  /** While it is set up; null otherwise. */
  readonly setUp: AppSetUp | null
  /** Recovery codes that still work. */
  readonly codesCount: number
}

/** Where a second factor stands, and the next step. Neither passwords nor codes that were typed come back. */
export async function showSecondFactor(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  { errors }: FormState,
  status = 200,
) {
  const { db, config, secretKeys } = request.server
  const factor = await findSecondFactor(db, secretKeys, person.id)
  const asking = await askingOf(request, person)
  return reply.page<SecondFactorPage>(
    'second-factor/settings',
    {
      title: translatorFor(request)('secondFactor.title'),
      form: { typed: {}, errors },
      ...(await factorsOf(db, person.id)),
      ...asking,
      ...settingsNav(request, '/settings/second-factor'),
      setUp:
        factor === null || factor.isOn || factor.secret === null
          ? null
          : appSetUp(factor.secret, asking.account, `Handup ${new URL(config.baseUrl).hostname}`),
      codesCount: await countRecoveryCodes(db, person.id),
    },
    { status },
  )
}
