import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { PASSWORD } from '../testing.ts'
import { openSecret } from './sealed-secret.ts'
import { codeAt } from './totp.ts'

/** Somebody's authenticator app. */
export interface App {
  /** A code that was not used yet, of as many half minutes from now. */
  code(later?: number): string
  readonly recoveryCodes: readonly string[]
  /** The browser it was set up with. */
  readonly browser: Browser
}

/** Sets up a second factor through the pages, for a person whose password is PASSWORD. */
export async function anApp(app: FastifyInstance, person: { readonly id: number }): Promise<App> {
  const browser = await signedIn(app, person)
  await browser.post('/settings/second-factor', { current_password: PASSWORD })
  const secret = await secretOf(app, person)
  // The last half minute's, so that the tests have this one's and the next.
  const confirm = () =>
    browser.post('/settings/second-factor/confirmation', { code: codeAt(secret, Date.now() - 30_000) })
  const confirmed = await confirm()
  // It may have become the last but one on its way.
  const codes = confirmed.statusCode === 422 ? await confirm() : confirmed
  assert.equal(codes.statusCode, 200, codes.body)
  const recoveryCodes = [...codes.body.matchAll(/<code>([\w-]{29})<\/code>/g)].map((match) => match[1] ?? '')
  return { browser, recoveryCodes, code: (later = 0) => codeAt(secret, Date.now() + later * 30_000) }
}

export async function secretOf(app: FastifyInstance, person: { readonly id: number }): Promise<Buffer> {
  const row = await app.db
    .selectFrom('second_factors')
    .select('secret')
    .where('person_id', '=', person.id)
    .executeTakeFirstOrThrow()
  const secret = openSecret(app.secretKeys, person.id, row.secret)
  assert.ok(secret !== null)
  return secret
}
