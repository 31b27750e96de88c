import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../testing/browser.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'

const PAGES = ['notifications', 'security', 'tokens', 'apps', 'standing', 'account']
const OWN = ['/settings', ...PAGES.map((name) => `/settings/${name}`)]

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

  test('keep the bar of the course one came from, when something is saved as well', async () => {
    const course = await aCourse(forum.db)
    const query = `?course=${course.slug}`
    const author = await aPerson(forum.db)
    const person = await signedIn(forum.app, author)
    for (const path of OWN) {
      const page = /<main[\s\S]*<\/main>/.exec((await person.get(`${path}${query}`)).body)?.[0] ?? ''
      const actions = [...page.matchAll(/<form[^>]* action="(\/settings[^"]*)"/g)].map(([, action]) => action)
      for (const action of actions) assert.ok(action?.endsWith(query), `${path}: ${action}`)
    }
    const fields = { display_name: 'Mina', language: 'system', time_zone: '', theme: 'dark' }
    const saved = await person.post(`/settings${query}`, fields)
    assert.equal(saved.headers.location, `/settings${query}`)
    const bar = new RegExp(`class="course-bar[\\s\\S]*?/courses/${course.slug}`)
    assert.match((await person.follow(saved)).body, bar)
    const mail = await person.post(`/settings/notifications${query}`, { rhythm: 'daily' })
    assert.equal(mail.headers.location, `/settings/notifications${query}`)
    await anAnswer(forum.db, { question: await aQuestion(forum.db, { course, author }) })
    const panel = (await person.get(`/notifications/latest${query}`)).body
    assert.ok(panel.includes(`action="/notifications/seen${query}"`))
    const seen = await person.post(`/notifications/seen${query}`)
    assert.equal(seen.headers.location, `/notifications${query}`)
    const elsewhere = await person.post(`/sign-out${query}`)
    assert.doesNotMatch(String(elsewhere.headers.location), /course=/)
  })

  test('have the ways to the others first, and the skip link leads past them to the heading', async () => {
    const admin = await signedIn(forum.app, await aPerson(forum.db, { isAdmin: true }))
    for (const path of [...OWN, '/admin', '/settings/site', '/mail', '/api']) {
      const { body } = await admin.get(path)
      assert.match(body, /<a class="skip-link" href="#content">/, path)
      const nav = body.indexOf('class="contents settings-nav"')
      const content = body.indexOf('id="content"')
      assert.ok(nav > 0 && nav < content && content < body.indexOf('<h1'), path)
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
