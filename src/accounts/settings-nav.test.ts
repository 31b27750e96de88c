import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../testing/browser.ts'
import { sharedForum } from '../testing/forum.ts'
import { aPerson } from '../testing/people.ts'

const OWN = [
  '/settings',
  '/settings/notifications',
  '/settings/sessions',
  '/settings/passkeys',
  '/settings/second-factor',
  '/settings/account',
]

suite('the pages of the settings', () => {
  const forum = sharedForum()

  test('lead to each other, and say which of them is open', async () => {
    const person = await signedIn(forum.app, await aPerson(forum.db))
    for (const path of OWN) {
      const nav = navOf((await person.get(path)).body)
      assert.deepEqual(pathsIn(nav), OWN, path)
      assert.match(nav, new RegExp(`href="${path}" aria-current="page"`), path)
    }
  })

  test('show admins the forum’s settings and the mail, too', async () => {
    const admin = await signedIn(forum.app, await aPerson(forum.db, { isAdmin: true }))
    for (const path of ['/settings', '/settings/site', '/mail']) {
      const nav = navOf((await admin.get(path)).body)
      assert.deepEqual(pathsIn(nav), [...OWN, '/admin', '/settings/site', '/mail'], path)
    }
  })
})

function navOf(page: string): string {
  return /<nav class="contents settings-nav"[\s\S]*?<\/nav>/.exec(page)?.[0] ?? ''
}

function pathsIn(nav: string): string[] {
  return [...nav.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path)
}
