import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { POLICY_NAMES } from '../../database/schema.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { within } from '../../testing/within.ts'
import { suggestedText } from './editing.ts'
import { changePolicy, listRules } from './policy.ts'

const KOREAN = { 'accept-language': 'ko' }

suite('rules, privacy and contact', () => {
  const forum = sharedForum()
  const write = (name: (typeof POLICY_NAMES)[number], language: 'en' | 'ko', body: string, version = 0) =>
    within(forum.db, changePolicy, { courseId: null, name, language }, body, version)
  const anAdmin = async () => signedIn(forum.app, await aPerson(forum.db, { isAdmin: true }))
  beforeEach(() => forum.db.deleteFrom('policies').execute())

  test('are linked in the footer and at sign-up while they are not empty', async () => {
    const admin = await anAdmin()
    const links = async (path: string, href: string) =>
      (await visitor(forum.app).get(path)).body.split(`href="${href}"`).length - 1
    assert.equal(await links('/courses', '/privacy'), 0)
    const saved = await admin.post('/admin/pages/privacy?language=en', { body: 'We keep little.' })
    assert.equal(saved.headers.location, '/admin/pages/privacy?language=en')
    assert.equal(await links('/courses', '/privacy'), 1)
    assert.equal(await links('/sign-up', '/privacy'), 2)
    assert.match((await visitor(forum.app).get('/privacy')).body, /We keep little\./)
    await admin.post('/admin/pages/privacy?language=en', { body: ' \n', version: 1 })
    assert.equal(await links('/courses', '/privacy'), 0)
    const empty = (await visitor(forum.app).get('/privacy')).body
    assert.match(empty, /This page is empty/)
    assert.doesNotMatch(empty, /Write page/)
    assert.match((await admin.get('/privacy')).body, /href="\/admin\/pages\/privacy">Write page/)
  })

  test('are shown in the reader’s language, or in the one that was written', async () => {
    await write('rules', 'en', '# Be kind\n\nAlways.')
    const shown = async () => (await visitor(forum.app).get('/rules', KOREAN)).body
    assert.match(await shown(), /<div class="prose" lang="en">\s*<h2 id="rule-1">Be kind<\/h2>/)
    await write('rules', 'ko', '# 존중')
    assert.match(await shown(), /<div class="prose">\s*<h2 id="rule-1">존중<\/h2>/)
  })

  test('keep both texts when two people change them at once', async () => {
    await write('contact', 'en', 'Theirs')
    const admin = await anAdmin()
    const path = '/admin/pages/contact?language=en'
    const refused = await admin.post(path, { body: 'Mine', version: '' })
    assert.equal(refused.statusCode, 409)
    assert.match(refused.body, /Theirs[\s\S]*Mine/)
    const version = /name="version" value="(\d+)"/.exec(refused.body)?.[1] ?? ''
    assert.equal((await admin.post(path, { body: 'Mine', version })).statusCode, 303)
    assert.match((await visitor(forum.app).get('/contact')).body, /Mine/)
  })

  test('begin with a suggestion in each language, which names what leaves this server, and saves nothing', async () => {
    const admin = await anAdmin()
    const shown = await admin.post('/admin/pages/rules?language=ko', { body: 'x', suggest: '1' })
    assert.equal(shown.statusCode, 200)
    assert.match(shown.body, /## 1\. 서로 존중합니다/)
    assert.deepEqual(await forum.db.selectFrom('policies').select('id').execute(), [])
    const nothing = { smtpUrl: null, s3Url: null, replyAddress: null, embeddingsUrl: null, spamUrl: null }
    const servers = { smtpUrl: 'smtp://m', s3Url: 'https://s3', embeddingsUrl: 'https://e' }
    const none = { ...nothing, careful: { sendsMail: true } }
    const all = { ...none, ...servers, replyAddress: 'reply@forum.example', spamUrl: 'https://s' }
    const kept = { auditMonths: 30, caseMonths: 1, agents: 'off' } as const
    for (const language of ['en', 'ko'] as const) {
      const of = (name: (typeof POLICY_NAMES)[number]) => ({ courseId: null, name, language })
      const few = await suggestedText(of('privacy'), none, kept)
      const many = await suggestedText(of('privacy'), all, { ...kept, agents: 'any' })
      assert.equal(many.split('\n').length - few.split('\n').length, 6)
      assert.doesNotMatch(many, /\[\w+\]|\{/)
      assert.match(many, language === 'en' ? /for 1 month after.*for 30 months/ : /1개월.*30개월/)
      for (const name of POLICY_NAMES) assert.ok((await suggestedText(of(name), none, kept)).length > 100)
    }
  })

  test('of a course are for those who read it, written by its instructors, and linked on its pages', async () => {
    const course = await aCourse(forum.db, { isPublic: false })
    const staff = await signedIn(forum.app, await aMember(forum.db, course, 'instructor'))
    const learner = await signedIn(forum.app, await aMember(forum.db, course))
    const [path, settings] = [`/courses/${course.slug}/rules`, `/courses/${course.slug}/settings/rules`]
    assert.doesNotMatch((await learner.get(`/courses/${course.slug}`)).body, new RegExp(`href="${path}"`))
    const button = `href="${settings}">Write page`
    assert.ok((await staff.get(path)).body.includes(button))
    assert.ok(!(await learner.get(path)).body.includes(button))
    assert.equal((await staff.post(settings, { body: '# Ask `zyx`' })).statusCode, 303)
    assert.ok(!(await staff.get(path)).body.includes(button))
    assert.match((await learner.get(`/courses/${course.slug}`)).body, new RegExp(`href="${path}"`))
    assert.match((await learner.get(path)).body, /Ask <code>zyx<\/code>/)
    assert.doesNotMatch((await learner.get('/courses')).body, new RegExp(`href="${path}"`))

    await write('rules', 'en', 'No heading yet.\n\n# Be kind\n\n## Details\n\n# No ads')
    const own = { of: 'course', id: 'rule-1', text: 'Ask zyx' }
    const others = ['Be kind', 'No ads'].map((text, at) => ({ of: 'forum', id: `rule-${at + 1}`, text }))
    assert.deepEqual(await listRules(forum.db, course.id, 'en'), [own, ...others])
    assert.deepEqual(await listRules(forum.db, null, 'ko'), others)
  })
})
