import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXAMPLES } from '../../examples-testing.ts'
import { GUESSES } from '../../kernel/limits.ts'
import { anExampleForum, examplesOf, type Sending, send } from '../../testing/examples.ts'
import { textOf } from '../../testing/page.ts'
import { PASSWORD } from '../testing.ts'

/** Earns a challenge for a passkey, and does nothing else. */
const ADDING = '/settings/passkeys/new'

/** Forms that change who gets in, or give a program some of the account's rights. */
const ASKING = [
  '/admin/sign-in',
  '/admin/sign-in/:id',
  '/admin/sign-in/:id/move',
  '/admin/sign-in/:id/options',
  '/admin/sign-in/:id/removal',
  '/admin/sign-in/:id/roles',
  '/admin/sign-in/:id/roles/removal',
  '/admin/sign-in/:id/state',
  '/admin/sign-in/:id/test',
  '/admin/webhooks',
  '/admin/webhooks/:id',
  '/admin/webhooks/:id/secret',
  '/courses/:course/settings/tokens',
  '/courses/:course/settings/webhooks',
  '/courses/:course/settings/webhooks/:id',
  '/courses/:course/settings/webhooks/:id/secret',
  '/settings/account/delete',
  '/settings/email',
  '/settings/passkeys/:passkeyId',
  '/settings/passkeys/:passkeyId/delete',
  '/settings/passkeys/new',
  '/settings/password',
  '/settings/second-factor',
  '/settings/second-factor/delete',
  '/settings/second-factor/recovery-codes',
  '/settings/sign-in/links/:linkId/delete',
  '/settings/sign-in/password/delete',
  '/settings/site',
  '/settings/tokens',
  '/sign-in/with/:provider/link',
]

test('what changes who gets in asks for the password in a session that was found open, which can’t be guessed there', async (t) => {
  const { forum, undone } = await anExampleForum(t)
  const { app, db } = forum
  const { prepare } = examplesOf(EXAMPLES, app.forms)
  const asking: string[] = []
  for (const [form, names] of [...app.forms, [ADDING, ['add-passkey']] as const])
    for (const name of names)
      if (/^\/(?:admin|settings|sign-in\/with)\b|\/tokens|\/webhooks/.test(form))
        await t.test(`${form}: ${name}`, () =>
          undone(async () => {
            const sending = form === ADDING ? adding(forum.as.asker) : await prepare(forum, name, form)
            const { id: personId } = forum[whoDoes(name, form)]
            const field = form === '/settings/email' ? 'email_password' : 'current_password'
            const post = (password: string) =>
              send({ ...sending, fields: { ...sending.fields, [field]: password } })
            await db.updateTable('sessions').set({ proof: null, proved_at: null }).execute()
            if ((await post('')).statusCode !== 422) return
            asking.push(form)

            const wrong = await post('not this one')
            const [, id = 'none'] = /href="#(\w*password\w*)"/.exec(wrong.body) ?? []
            assert.match(wrong.body, new RegExp(`<input[^>]* id="${id}"`), textOf(wrong.body))
            const [before = ''] = wrong.body.split(` id="${id}"`)
            const [folded = ''] = /<details[^>]*>(?:(?!<\/details>)[\s\S])*$/.exec(before) ?? []
            assert.match(folded, /^$|^<details[^>]* open/, 'what is wrong is in sight')
            assert.doesNotMatch(wrong.body, /not this one/)

            const guessed = { personId, what: 'password' } as const
            for (let tries = 2; tries < GUESSES.max; tries += 1)
              assert.equal(await app.guesses.wait(guessed, '127.0.0.1'), null)
            const limited = await post(PASSWORD)
            assert.equal(limited.statusCode, 429)
            assert.ok(Number(limited.headers['retry-after']) > 0)
            await app.guesses.forget(guessed, '127.0.0.1')
            const done = await post(PASSWORD)
            assert.ok(done.statusCode < 400, textOf(done.body))
          }),
        )
  assert.deepEqual(asking.sort(), ASKING)
})

const adding = (browser: Sending['browser']) => ({ browser, path: ADDING, fields: {}, file: null })

function whoDoes(name: string, form: string): 'asker' | 'helper' | 'staff' | 'admin' {
  const { at, ...usual } = EXAMPLES[name] ?? {}
  const { as = 'asker' } = at?.[form] ?? usual
  return as === 'helper' || as === 'staff' || as === 'admin' ? as : 'asker'
}
