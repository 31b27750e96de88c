import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { LETTERS } from '../../kernel/limits.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { hashPassword } from '../identity/passwords.ts'
import { aForum, lettersTo, linkTo, PASSWORD } from '../testing.ts'

const STRANGER = 'somebody@example.org'

suite('the mailbox of somebody who has nothing to do with the forum', () => {
  test('gets five links an hour, however many accounts want to move to it', async (t) => {
    const { app, db } = await aForum(t)
    const passwordHash = await hashPassword(PASSWORD)
    const change = { new_email: STRANGER, email_password: PASSWORD }
    const statuses: number[] = []
    for (let account = 0; account < 4; account += 1) {
      const browser = await signedIn(app, await aPerson(db, { passwordHash }))
      for (let tries = 0; tries < 2; tries += 1)
        statuses.push((await browser.post('/settings/email', change)).statusCode)
    }
    assert.deepEqual(statuses, [303, 303, 303, 303, 303, 429, 429, 429])
    assert.equal((await lettersTo(db, STRANGER)).length, LETTERS.max)
  })

  test('gets no more by accounts that are made under it and deleted again', async (t) => {
    const { app, db } = await aForum(t)
    const account = { display_name: 'Eve', email: STRANGER, password: PASSWORD }
    for (let times = 0; times < LETTERS.max + 2; times += 1) {
      const browser = visitor(app)
      await browser.post('/sign-up', account)
      await browser.post('/settings/account/delete', { posts: 'keep', current_password: PASSWORD })
    }
    const kinds = (await lettersTo(db, STRANGER)).map(({ kind }) => kind)
    // The links that confirm go with their account.
    assert.deepEqual(kinds, Array(LETTERS.max).fill('farewell'))
    await visitor(app).post('/sign-up', account)
    assert.equal((await lettersTo(db, STRANGER)).length, LETTERS.max)
  })

  test('gets no letter each time an unconfirmed account changes its password', async (t) => {
    const { app, db } = await aForum(t)
    const browser = visitor(app)
    await browser.post('/sign-up', { display_name: 'Eve', email: STRANGER, password: PASSWORD })
    const token = (await linkTo(db, STRANGER)).token
    const [one, other] = [PASSWORD, 'a row of seven green bottles']
    const change = (from: string, to: string) =>
      browser.post('/settings/password', { current_password: from, password: to })
    for (let times = 0; times < LETTERS.max; times += 1) {
      await change(one, other)
      await change(other, one)
    }
    assert.equal((await lettersTo(db, STRANGER)).length, 1 + LETTERS.max)

    await browser.post('/confirm-email', { token })
    await change(one, other)
    assert.equal((await lettersTo(db, STRANGER)).at(-1)?.kind, 'passwordChanged', 'an owner is always told')
    assert.equal((await lettersTo(db, STRANGER)).length, 2 + LETTERS.max)
  })
})
