import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { MailLinkPurpose } from '../../database/schema.ts'
import { sweepTable } from '../../database/terms.ts'
import { act } from '../../testing/act.ts'
import { visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { takingBack } from '../address/address-routes.ts'
import { confirm } from '../address/testing.ts'
import { newPasswordSetting } from '../sign-in/forgotten-password.ts'
import { signInLinks, signInLinkUse } from '../sign-in/links.ts'
import { anOwner, mailToken, otherPassword, signInToken } from '../testing.ts'
import { DeadLink, mailLinks } from './mail-links.ts'

type Purpose = MailLinkPurpose | 'sign-in'

/** Hours that each works; and the page that it opens. */
const LINKS: Readonly<Record<Purpose, readonly [hours: number, page: string]>> = {
  'new-password': [1, '/new-password'],
  'confirm-email': [72, '/confirm-email'],
  'change-email': [24, '/confirm-email'],
  'undo-email-change': [168, '/undo-email-change'],
  'undo-second-factor': [168, '/undo-second-factor'],
  'sign-in': [1, '/sign-in/link'],
}
const PURPOSES = Object.keys(LINKS) as Purpose[]

suite('a link that somebody gets', () => {
  const forum = sharedForum()
  const made = async (purpose: Purpose) => {
    const owner = await anOwner(forum.db)
    return purpose === 'sign-in' ? signInToken(forum.db, owner) : mailToken(forum.db, owner, purpose)
  }
  const tableOf = (purpose: Purpose) => (purpose === 'sign-in' ? 'sign_in_links' : 'mail_links')

  async function use(purpose: Purpose, token: string): Promise<unknown> {
    const by = { actor: null, key: token }
    if (purpose === 'sign-in') return act(forum, signInLinkUse, by)
    if (purpose === 'new-password')
      return act(forum, newPasswordSetting, { ...by, input: await otherPassword(forum.app) })
    if (purpose === 'confirm-email' || purpose === 'change-email') return confirm(forum.db, token)
    return act(forum, takingBack, { actor: null, key: { purpose, token } })
  }

  for (const purpose of PURPOSES)
    test(`works once, for a while, and for its purpose alone: ${purpose}`, async () => {
      const { db } = forum
      const [hours, page] = LINKS[purpose]
      const token = await made(purpose)
      for (const other of PURPOSES)
        if (LINKS[other][1] !== page) await assert.rejects(use(other, token), DeadLink, other)
      const uses = await Promise.allSettled(Array.from({ length: 8 }, () => use(purpose, token)))
      assert.equal(uses.filter(({ status }) => status === 'fulfilled').length, 1)
      for (const dead of [token, 'made-up', '']) await assert.rejects(use(purpose, dead), DeadLink, dead)

      const old = await made(purpose)
      const passes = (time: string) =>
        setRows(db, tableOf(purpose), {}, { expires_at: sql`expires_at - ${time}::interval` })
      await passes(`${hours} hours -1 minute`)
      const open = await visitor(forum.app).get(`${page}?token=${old}`)
      assert.equal(open.statusCode, 200)
      assert.match(String(open.headers['cache-control']), /no-store/)
      await passes('1 minute')
      await assert.rejects(use(purpose, old), DeadLink)
    })

  test('that doesn’t work says so on its page, and what to do', async () => {
    const browser = visitor(forum.app)
    const pages = new Set(PURPOSES.map((purpose) => LINKS[purpose][1]))
    for (const page of pages) {
      for (const query of ['', '?token=', '?token=made-up', '?token=%00', '?token=a&token=b']) {
        const { statusCode, body } = await browser.get(`${page}${query}`)
        assert.equal(statusCode, 410, `${page}${query}`)
        assert.match(textOf(body), /This link doesn’t work/, page)
      }
      for (const token of ['', 'made-up', '\0', 'x'.repeat(5000)]) {
        const sent = await browser.post(page, { token, password: 'six blue doors in a row' })
        assert.equal(sent.statusCode, 410, `${page} ${token.slice(0, 20)}`)
      }
    }
  })

  test('is kept as a hash, and swept a day after its end', async () => {
    const { db } = forum
    for (const [purpose, table] of [
      ['new-password', mailLinks],
      ['sign-in', signInLinks],
    ] as const) {
      const token = await made(purpose)
      assert.match(token, /^[\w-]{43}$/)
      assert.ok(!JSON.stringify(await rowsOf(db, tableOf(purpose), {})).includes(token))
      const expire = (hours: number) =>
        setRows(db, tableOf(purpose), {}, { expires_at: sql`now() - ${hours} * interval '1 hour'` })
      await expire(23)
      assert.equal(await sweepTable(db, table), 0)
      await expire(25)
      assert.ok((await sweepTable(db, table)) > 0)
    }
  })
})
