import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { visitor } from '../testing/browser.ts'
import { sharedForum } from '../testing/forum.ts'

suite('flash messages', () => {
  const forum = sharedForum()

  /** A browser with a message that it is yet to show. */
  function withMessage() {
    const browser = visitor(forum.app)
    browser.cookies.set(
      'flash',
      forum.app.signCookie(`flash=${JSON.stringify({ said: [{ key: 'drafts.flash.saved' }], act: null })}`),
    )
    return browser
  }

  const unseen = {
    'newer parts of the page in another tab': {
      'sec-fetch-dest': 'empty',
      accept: 'text/html; background=1',
    },
    'the same where the address is not https': { accept: 'text/html; background=1' },
    'a picture that is gone': { 'sec-fetch-dest': 'image', accept: 'image/avif,image/*,*/*;q=0.8' },
    'an answer that a script expects': { 'sec-fetch-dest': 'empty', accept: '*/*' },
    'a form that was sent in place and led to another page': {
      'sec-fetch-dest': 'empty',
      accept: 'text/html',
      referer: 'http://forum.example/questions',
    },
    'a page that a browser gets ahead': {
      'sec-fetch-dest': 'document',
      accept: 'text/html',
      'sec-purpose': 'prefetch',
    },
  }
  for (const [what, headers] of Object.entries(unseen))
    test(`${what} leaves the message to the page that is for it`, async () => {
      const browser = withMessage()
      assert.doesNotMatch((await browser.get('/courses', headers)).body, /data-flash/)
      assert.match((await browser.get('/courses')).body, /data-flash/)
    })

  const seen = {
    'a navigation': { 'sec-fetch-dest': 'document', accept: 'text/html,*/*;q=0.8' },
    'a form that was sent in place': {
      'sec-fetch-dest': 'empty',
      accept: 'text/html',
      referer: 'http://forum.example/courses?kind=open',
    },
    'a client that says nothing': { accept: '*/*' },
  }
  for (const [what, headers] of Object.entries(seen))
    test(`${what} shows the message once`, async () => {
      const browser = withMessage()
      assert.match((await browser.get('/courses', headers)).body, /data-flash/)
      assert.equal(browser.cookies.has('flash'), false)
    })
})
