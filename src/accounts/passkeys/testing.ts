import assert from 'node:assert/strict'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { act } from '../../testing/act.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { textOf } from '../../testing/page.ts'
import { newToken } from '../../web/tokens.ts'
import { PASSWORD } from '../testing.ts'
import { Authenticator, type Mischief, type Options } from './authenticator-testing.ts'
import { handleOf, passkeyAddition } from './passkey.ts'
import { checkAttestation } from './registration.ts'

/** The forum, as authenticators know it. */
export const PARTY = { id: 'localhost', origin: 'http://localhost:3000' }

/** A person's passkey, a session of theirs, and what adding it showed. */
export async function aPasskey(app: FastifyInstance, person: { readonly id: number }, name = 'My phone') {
  const [browser, key, challenge] = [await signedIn(app, person), new Authenticator(), newToken()]
  const id = (await handleOf(app.db, person.id)).toString('base64url')
  const made = await checkAttestation(PARTY, JSON.parse(key.make({ challenge, user: { id } })), challenge)
  assert.ok(made.ok)
  const own = { personId: person.id, sessionToken: browser.cookies.get('session') ?? null }
  const input = { name, made: made.value }
  const recoveryCodes = await act(app, passkeyAddition, { actor: person, key: own, input })
  return { key, browser, recoveryCodes: recoveryCodes ?? [] }
}

/** Both steps of adding a passkey. */
export async function addPasskey(
  browser: Browser,
  key: Authenticator,
  { name = 'My phone', ...mischief }: Mischief & { readonly name?: string } = {},
): Promise<LightMyRequestResponse> {
  const page = await browser.post('/settings/passkeys/new', { current_password: PASSWORD })
  assert.equal(page.statusCode, 200, page.body)
  return browser.post('/settings/passkeys', { name, _passkey: key.make(optionsIn(page.body), mischief) })
}

/** What a page hands to its script to have a passkey made. */
export function optionsIn(html: string): Options {
  return JSON.parse(textOf(/data-options="([^"]*)"/.exec(html)?.[1] ?? '{}'))
}

/** Signs in by a passkey alone, or as the second step after a password. */
export async function signInWith(
  browser: Browser,
  key: Authenticator,
  mischief: Mischief = {},
  path: '/sign-in/passkey' | '/sign-in/code/passkey' = '/sign-in/passkey',
): Promise<LightMyRequestResponse> {
  const challenge = await browser.get(`${path}/challenge`)
  assert.equal(challenge.statusCode, 200, challenge.body)
  return browser.post(path, { _passkey: key.sign(challenge.json(), mischief), next: '/tags' })
}
