import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { act } from '../../testing/act.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { rowOf } from '../../testing/rows.ts'
import { openSecret } from './sealed-secret.ts'
import { appConfirmation, appSetUp } from './second-factor.ts'
import { codeAt } from './totp.ts'

/** Somebody's authenticator app. */
export interface App {
  /** A code that was not used yet, of as many half minutes from now. */
  code(later?: number): string
  readonly recoveryCodes: readonly string[]
  /** The browser it was set up with. */
  readonly browser: Browser
}

/** Sets up a second factor in a new session of a person. */
export async function anApp(app: FastifyInstance, person: { readonly id: number }): Promise<App> {
  const browser = await signedIn(app, person)
  const sessionToken = browser.cookies.get('session') ?? browser.cookies.get('__Host-session') ?? null
  const own = { actor: person, key: { personId: person.id, sessionToken, keys: app.secretKeys } }
  await act(app, appSetUp, own)
  const secret = await secretOf(app, person)
  // The last half minute's, so that the tests have this one's and the next.
  const confirm = () =>
    act(app, appConfirmation, { ...own, input: { code: codeAt(secret, Date.now() - 30_000) } })
  // It may have become the last but one on its way.
  const recoveryCodes = (await confirm().catch(confirm)) ?? []
  return { browser, recoveryCodes, code: (later = 0) => codeAt(secret, Date.now() + later * 30_000) }
}

export async function secretOf(app: FastifyInstance, person: { readonly id: number }): Promise<Buffer> {
  const { secret } = await rowOf(app.db, 'second_factors', { person_id: person.id })
  return openSecret(app.secretKeys, person.id, secret) ?? assert.fail()
}
