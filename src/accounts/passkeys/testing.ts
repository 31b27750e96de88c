import assert from 'node:assert/strict'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { textOf } from '../../testing/page.ts'
import { PASSWORD } from '../testing.ts'
import { Authenticator, type Mischief, type Options } from './authenticator-testing.ts'

/** A person's passkey, added through the pages with PASSWORD, and what that showed. */
export async function aPasskey(app: FastifyInstance, person: { readonly id: number }, name = 'My phone') {
  const browser = await signedIn(app, person)
  const key = new Authenticator()
  const added = await addPasskey(browser, key, { name })
  assert.ok([200, 303].includes(added.statusCode), added.body)
  const recoveryCodes = [...added.body.matchAll(/<code>([\w-]{29})<\/code>/g)].map((match) => match[1] ?? '')
  return { key, browser, recoveryCodes }
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
