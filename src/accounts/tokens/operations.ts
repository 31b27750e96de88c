import { personOf } from '../../kernel/actor.ts'
import { plain } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { writeTo } from '../identity/letters.ts'
import { type InSession, ownAccount, ownWith } from '../identity/own-account.ts'
import { ownToken } from './form.ts'
import { coursesForTokens, makeToken, revokeToken } from './token.ts'

/** Makes a token of one's own, which is shown once; its owner is told by email. `time_zone`: in which its last day ends. */
export const ownTokenMaking = operation({
  name: 'make-own-token',
  right: 'have-account',
  find: ownAccount,
  input: { ...ownToken, time_zone: plain },
  events: ['token-made'],
  async run({ write, actor, subject, input, note, ...where }) {
    const { course: slug, time_zone: timeZone, ...wished } = input
    const course = (await coursesForTokens(write, personOf(actor))).find((one) => one.slug === slug)
    if (slug !== '' && course === undefined) throw refusal('course', 'forms.choice')
    const owner = { personId: subject.id, courseId: course?.id ?? null }
    const token = await makeToken(write, owner, { ...wished, timeZone })
    if (token === null) throw refusal('name', 'tokens.many')
    await writeTo(write, subject, 'tokenMade', where)
    note('token-made', { scopes: wished.scopes.join(' ') })
    return { name: wished.name, token }
  },
})

/** Revokes a token of one's own; its owner is told by email. */
export const ownTokenEnd = operation({
  name: 'revoke-own-token',
  right: 'have-account',
  find: ownWith<InSession & { readonly tokenId: number }>,
  events: ['token-revoked'],
  async run({ write, subject, note, ...where }) {
    const owner = { personId: subject.id, courseId: null }
    if ((await revokeToken(write, owner, subject.tokenId)) === null) throw notFound()
    await writeTo(write, subject, 'tokenRevoked', where)
    note('token-revoked', {})
  },
})
