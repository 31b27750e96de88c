import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { LETTERS } from '../../kernel/limits.ts'
import { act, refusalOf } from '../../testing/act.ts'
import { sharedForum } from '../../testing/forum.ts'
import { accountDeletion } from '../deletion/leave.ts'
import { emailChangeRequest, passwordChange } from '../settings/operations.ts'
import { signUp } from '../sign-in/sign-up.ts'
import { anOwner, inSession, kindsTo, linkTo, otherPassword } from '../testing.ts'
import { confirm } from './testing.ts'

suite('the mailbox of somebody who has nothing to do with the forum', () => {
  const forum = sharedForum()
  const kinds = (email: string) => kindsTo(forum.db, email)

  /** Signs up under somebody’s address. @returns a session */
  async function signUpAs(email: string) {
    const input = { display_name: 'Eve', email, next: '/', ...(await otherPassword(forum.app)) }
    const { personId: id } = await act(forum, signUp, { actor: null, key: null, input })
    return inSession(forum.db, { id })
  }

  test('gets five links an hour, however many accounts want to move to it', async () => {
    const refusals: string[] = []
    for (let account = 0; account < 4; account += 1) {
      const own = await inSession(forum.db, await anOwner(forum.db))
      const input = { new_email: 'moved-to@example.org' }
      for (let tries = 0; tries < 2; tries += 1)
        refusals.push(await refusalOf(forum, emailChangeRequest, { ...own, input }))
    }
    const expected = [...Array(LETTERS.max).fill('done'), 'tooOften', 'tooOften', 'tooOften']
    assert.deepEqual(refusals, expected)
    assert.equal((await kinds('moved-to@example.org')).length, LETTERS.max)
  })

  test('gets no more by accounts that are made under it and deleted again', async () => {
    const email = 'made-under@example.org'
    for (let times = 0; times < LETTERS.max + 2; times += 1)
      await act(forum, accountDeletion, { ...(await signUpAs(email)), input: { posts: 'keep' } })
    // The links that confirm go with their account.
    assert.deepEqual(await kinds(email), Array(LETTERS.max).fill('farewell'))
    await signUpAs(email)
    assert.equal((await kinds(email)).length, LETTERS.max)
  })

  test('gets no letter each time an unconfirmed account changes its password', async () => {
    const email = 'unconfirmed@example.org'
    const { actor } = await signUpAs(email)
    const change = async () => {
      const own = await inSession(forum.db, actor)
      await act(forum, passwordChange, { ...own, input: await otherPassword(forum.app) })
    }
    const { token } = await linkTo(forum.db, email)
    for (let times = 0; times < 2 * LETTERS.max; times += 1) await change()
    assert.equal((await kinds(email)).length, 1 + LETTERS.max)
    await confirm(forum.db, token)
    await change()
    assert.deepEqual((await kinds(email)).slice(1 + LETTERS.max), ['passwordChanged'], 'an owner is told')
  })
})
