import type { MailLinkPurpose } from '../database/schema.ts'
import { signedIn } from '../testing/browser.ts'
import { type Example, type Examples, newest } from '../testing/examples.ts'
import { setRows } from '../testing/rows.ts'
import { agentsOn, anAppToken, aRegisteredApp, askingPath, versionShown } from './apps/testing.ts'
import { Authenticator } from './passkeys/authenticator-testing.ts'
import { addPasskeyRow } from './passkeys/row-testing.ts'
import { optionsIn } from './passkeys/testing.ts'
import { addLinkRow } from './providers/row-testing.ts'
import { comeBy, leave, logoutToken, waitingAt } from './providers/testing.ts'
import { secretOf } from './second-factor/testing.ts'
import { codeAt } from './second-factor/totp.ts'
import { mailToken, PASSWORD, signInToken } from './testing.ts'

const NEW_PASSWORD = 'six blue doors in a row'

/** By a link of a letter to the asker. */
const byLink = (purpose: MailLinkPurpose, more: Readonly<Record<string, string>> = {}): Example => ({
  as: 'visitor',
  find: async ({ db, asker }) => ({ token: await mailToken(db, asker, purpose) }),
  input: (_, { token = '' }) => ({ token, ...more }),
})
const aPasskey: Example = {
  find: async ({ db, asker }) => ({ passkeyId: await addPasskeyRow(db, asker.id) }),
}

export const ACCOUNT_EXAMPLES: Examples = {
  'sign-up': {
    as: 'visitor',
    input: { display_name: 'Eve', email: 'eve@example.org', password: NEW_PASSWORD },
    wrong: { password: 'x' },
  },
  'ask-for-new-password': {
    as: 'visitor',
    input: ({ asker }) => ({ email: asker.email }),
    wrong: { email: 'no address' },
  },
  'set-forgotten-password': {
    ...byLink('new-password', { password: NEW_PASSWORD }),
    wrong: { password: 'x' },
  },
  'confirm-email': byLink('confirm-email'),
  'take-account-back': {
    ...byLink('undo-email-change'),
    at: { '/undo-second-factor': byLink('undo-second-factor') },
  },
  'use-sign-in-link': {
    as: 'visitor',
    find: async ({ db, asker }) => ({ token: await signInToken(db, asker) }),
    input: (_, { token = '' }) => ({ token }),
  },
  'change-profile': {
    input: { display_name: 'Mina Park', language: 'system', time_zone: '', theme: 'system' },
    wrong: { display_name: '' },
  },
  'change-password': { input: { password: NEW_PASSWORD }, wrong: { password: 'x' } },
  'ask-for-email-change': {
    input: { new_email: 'mina.new@example.org' },
    wrong: { new_email: 'no address' },
  },
  'send-confirmation': {
    find: async ({ db, asker }) => {
      await setRows(db, 'people', asker.id, { email_confirmed_at: null })
      return {}
    },
  },
  'end-other-sessions': {},
  'end-session': {
    as: 'asker',
    find: async ({ app, asker, as }) => {
      await signedIn(app, asker)
      const page = await as.asker.get('/settings/security')
      return { session: /action="\/settings\/sessions\/([^"]+)\/delete"/.exec(page.body)?.[1] ?? '' }
    },
  },
  'delete-account': {
    as: 'helper',
    input: { posts: 'keep', display_name: 'Jun' },
    wrong: { posts: 'perhaps' },
  },
  'make-own-token': {
    input: { name: 'Bot', scopes: ['read', 'write'] },
    wrong: { name: '' },
  },
  'revoke-own-token': { after: ['make-own-token'], find: newest('api_tokens') },
  'allow-app': {
    find: async ({ app, db }, browser) => {
      await agentsOn(db)
      const path = askingPath(app, await aRegisteredApp(db))
      return { query: path.split('?')[1] ?? '', version: await versionShown(browser, path) }
    },
    input: (_, { version = '' }) => ({ version, decision: 'allow', course: [] }),
    wrong: { course: 'nowhere' },
  },
  'end-app': { find: async ({ db, asker }) => ({ id: (await anAppToken(db, asker)).grantId }) },
  'take-app-access': {
    isFromAnywhere: 'program',
    as: 'visitor',
    find: async ({ db, asker }) => {
      await agentsOn(db)
      const { app, refresh } = await anAppToken(db, asker)
      return { client: app.clientId, refresh }
    },
    input: (_, { client = '', refresh = '' }) => ({
      grant_type: 'refresh_token',
      client_id: client,
      refresh_token: refresh,
    }),
  },
  'return-app-access': {
    isFromAnywhere: 'program',
    as: 'visitor',
    find: async ({ db, asker }) => {
      await agentsOn(db)
      return { refresh: (await anAppToken(db, asker)).refresh }
    },
    input: (_, { refresh = '' }) => ({ token: refresh }),
  },
  'register-app': {
    as: 'admin',
    input: { name: 'Assistant', redirect_uris: 'https://assistant.example/callback' },
    wrong: { redirect_uris: 'http://assistant.example/callback' },
  },
  'remove-app': { as: 'admin', after: ['register-app'], find: newest('apps') },
  'add-passkey': {
    find: async ({ as }) => {
      const page = await as.asker.post('/settings/passkeys/new')
      return { made: new Authenticator().make(optionsIn(page.body)) }
    },
    input: (_, { made = '' }) => ({ name: 'My phone', _passkey: made }),
  },
  'rename-passkey': { ...aPasskey, input: { name: 'A phone' }, wrong: { name: '' } },
  'remove-passkey': aPasskey,
  'remove-password': { ...aPasskey },
  'set-up-second-factor': {},
  'turn-second-factor-on': {
    after: ['set-up-second-factor'],
    find: async ({ app, asker }) => ({ code: codeAt(await secretOf(app, asker), Date.now()) }),
    input: (_, { code = '' }) => ({ code }),
    wrong: { code: 'no code' },
  },
  'renew-recovery-codes': { after: ['turn-second-factor-on'] },
  'turn-second-factor-off': { after: ['turn-second-factor-on'] },
  'link-account': {
    find: async ({ as, provider }) => waitingAt(await as.asker.get(provider.waysBack(await leave(as.asker)))),
    input: (_, { state = '' }) => ({ state, current_password: PASSWORD }),
  },
  'arrive-by-provider': {
    as: 'visitor',
    // Somebody who has an account, and whose address the provider vouches for, chooses another one.
    find: async ({ db, asker, provider }, browser) => {
      await setRows(
        db,
        'identity_providers',
        {},
        { trusts_addresses: true, allowed_domains: ['example.com'] },
      )
      provider.answers.claims = { email: asker.email, email_verified: true }
      return waitingAt(await browser.get(provider.waysBack(await leave(browser))))
    },
    input: (_, { state = '' }) => ({ state, display_name: 'Mina' }),
  },
  'end-sessions-by-provider': {
    isFromAnywhere: true,
    as: 'visitor',
    find: async ({ app, db, asker, provider, providerId }) => {
      await addLinkRow(db, asker.id, providerId, provider.issuer, 'mina')
      await comeBy(app, provider)
      return { logout_token: await logoutToken(provider) }
    },
    input: (_, { logout_token = '' }) => ({ logout_token }),
  },
  'unlink-account': {
    find: async ({ db, asker, providerId }) => ({ linkId: await addLinkRow(db, asker.id, providerId) }),
  },
}
