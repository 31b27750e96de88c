import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import { KEPT_FORMS } from '../../kernel/limits.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { valueIn } from '../../testing/page.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { rowsOf, valuesOf } from '../../testing/rows.ts'
import { hashToken } from '../../web/tokens.ts'
import { leave } from '../deletion/testing.ts'
import { beginSession, endOtherSessions } from './sessions.ts'

suite('kept forms', () => {
  const forum = sharedForum()
  beforeEach(() => forum.db.deleteFrom('kept_forms').execute())

  const count = async () => (await rowsOf(forum.db, 'kept_forms', {})).length

  /** Keeps forms of this age; `network`: its hash, or a name to make one of; null: each of another network. */
  async function keep(number: number, age: string, network: Buffer | string | null): Promise<void> {
    const rows = Array.from({ length: number }, (_, at) => ({
      token_hash: hashToken(`${age} ${at}`),
      fields: JSON.stringify({ body: 'older' }),
      kept_at: sql<Date>`now() - ${age}::interval`,
      network_hash: Buffer.isBuffer(network) ? network : hashToken(network ?? `network ${at}`),
    }))
    await forum.db.insertInto('kept_forms').values(rows).execute()
  }

  /** Where a form that was sent to sign in leads afterwards. */
  const wayBack = ({ headers }: { headers: Record<string, unknown> }) =>
    new URL(String(headers.location), 'http://forum').searchParams.get('next')?.split('#')[0] ?? ''

  const hers = async () => ({ course: (await aCourse(forum.db)).slug, title: 'Of Mina', body: 'Her words' })

  async function sitDown(browser: Browser, person: { readonly id: number }): Promise<void> {
    browser.cookies.set('session', await beginSession(forum.db, person.id, 'a test'))
  }

  test('forms without text of their own leave nothing, whatever is sent with them', async () => {
    const { app, db } = forum
    const answer = await anAnswer(db)
    const fields = { value: '1', status: 'resolved', body: 'x'.repeat(1000), title: 'x', display_name: 'x' }
    const ids: Readonly<Record<string, number>> = { questions: answer.question.id, answers: answer.id }
    const forms = routesOf(app).filter(({ method, path }) => method === 'POST' && !/preview/.test(path))
    const kept: string[] = []
    for (const { path } of forms) {
      const address = path.replace(/:\w+/, String(ids[path.split('/')[1] ?? ''] ?? 1))
      const sent = await visitor(app).post(address, fields, { token: null })
      if (wayBack(sent).includes('kept=')) kept.push(path)
    }
    assert.deepEqual(kept.toSorted(), KEEPING)
    const rows = valuesOf(await rowsOf(db, 'kept_forms', {}), 'fields')
    assert.equal(rows.length, kept.length)
    for (const fields of rows) assert.ok(!('value' in fields) && !('status' in fields))
  })

  test('what staff typed for their course is there again after signing in, in the form that it was typed in', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const admin = await aPerson(db, { isAdmin: true })
    const typed = (name: string, path: string) => `Typed: ${name} of ${path}`
    for (const [path, names] of Object.entries(OF_STAFF)) {
      const action = path.replace(':course', course.slug)
      const fields = Object.fromEntries(names.map((name) => [name, typed(name, action)]))
      const browser = visitor(app)
      const page = wayBack(await browser.post(action, fields, { token: null }))
      await sitDown(browser, admin)
      const { body } = await browser.get(page)
      const forms = [...body.matchAll(/<form[^>]* action="([^"]+)"[^>]*>.*?<\/form>/gs)]
      for (const name of names) {
        const holding = forms.filter(([form]) => form.includes(typed(name, action)))
        assert.deepEqual([...new Set(holding.map(([, to]) => to))], [action], `${name}: ${page}`)
      }
    }
  })

  test('the number for one network is limited, and the oldest go first', async () => {
    const { app, db } = forum
    const { id } = await aQuestion(db)
    await keep(KEPT_FORMS.network + 5, '1 hour', 'of another network')
    const send = () => visitor(app).post(`/questions/${id}/answers`, { body: 'mine' }, { token: null })
    await send()
    const latest = db.selectFrom('kept_forms').select('network_hash').orderBy('kept_at', 'desc')
    const { network_hash } = await latest.executeTakeFirstOrThrow()
    await keep(KEPT_FORMS.network - 1, '2 hours', network_hash)
    await send()
    assert.equal(await count(), 2 * KEPT_FORMS.network + 5, 'those of another network stay')
    const bodies = valuesOf(await rowsOf(db, 'kept_forms', {}), 'fields').map((fields) => fields.body)
    assert.equal(bodies.filter((body) => body === 'mine').length, 2)
  })

  test('the number of all is limited, and the oldest go first', async () => {
    const { id } = await aQuestion(forum.db)
    await keep(KEPT_FORMS.all, '1 hour', null)
    const sent = await visitor(forum.app).post(`/questions/${id}/answers`, { body: 'mine' }, { token: null })
    assert.match(wayBack(sent), /kept=/)
    assert.equal(await count(), KEPT_FORMS.all)
  })

  test('a form larger than any that would be taken is not kept', async () => {
    const { id } = await aQuestion(forum.db)
    const body = 'x'.repeat(KEPT_FORMS.bytes)
    const sent = await visitor(forum.app).post(`/questions/${id}/answers`, { body }, { token: null })
    assert.equal(sent.statusCode, 303)
    assert.equal(await count(), 0)
  })

  test('what was typed when a session was over is opened by its owner alone', async () => {
    const { app, db } = forum
    const [mina, next] = [await aPerson(db), await aPerson(db)]
    const browser = await signedIn(app, mina)
    const token = await browser.token()
    await endOtherSessions(db, mina.id, null)
    const page = wayBack(await browser.post('/questions', await hers(), { token }))
    assert.match(page, /kept=/)
    await sitDown(browser, next)
    assert.doesNotMatch((await browser.get(page)).body, /Her words|Of Mina/)
    await sitDown(browser, mina)
    assert.equal(valueIn((await browser.get(page)).body, 'body'), 'Her words')
  })

  test('what a visitor typed belongs to who opens it first', async () => {
    const { app, db } = forum
    const [mina, next] = [await aPerson(db), await aPerson(db)]
    const browser = visitor(app)
    const page = wayBack(await browser.post('/questions', await hers()))
    await sitDown(browser, mina)
    for (let opened = 0; opened < 2; opened += 1)
      assert.equal(valueIn((await browser.get(page)).body, 'body'), 'Her words')
    await sitDown(browser, next)
    assert.doesNotMatch((await browser.get(page)).body, /Her words|Of Mina/)
  })

  test('ends with signing out, and with the account', async () => {
    const { app, db } = forum
    const mina = await aPerson(db)
    const browser = visitor(app)
    const page = wayBack(await browser.post('/questions', await hers()))
    const elsewhere = visitor(app)
    await elsewhere.post('/questions', { title: 'In another browser', body: 'x' })
    await sitDown(browser, mina)
    await browser.get(page)
    assert.equal((await browser.post('/sign-out')).statusCode, 303)
    assert.equal(await count(), 1, 'that of another browser stays')
    assert.equal(browser.cookies.has('kept'), false)
    await sitDown(browser, mina)
    assert.doesNotMatch((await browser.get(page)).body, /Her words/)
    const later = visitor(app)
    const again = wayBack(await later.post('/questions', await hers()))
    await sitDown(later, mina)
    await later.get(again)
    await leave(db, mina.id, 'keep')
    assert.equal(await count(), 1)
  })
})

/** Forms that people write texts in. */
const KEEPING = [
  '/admin/pages/contact',
  '/admin/pages/privacy',
  '/admin/pages/rules',
  '/announcements/:id/edit',
  '/answers/:id/edit',
  '/answers/:id/replies',
  '/courses/:course/announcements/new',
  '/courses/:course/copy',
  '/courses/:course/desk/saved',
  '/courses/:course/faq',
  '/courses/:course/settings',
  '/courses/:course/settings/rules',
  '/courses/new',
  '/faq/:id',
  '/questions',
  '/questions/:id/answers',
  '/questions/:id/desk',
  '/questions/:id/edit',
  '/questions/:id/replies',
  '/replies/:id/edit',
  '/settings',
  '/uploads',
]

/** Those of staff for a course, and some of their fields. */
const OF_STAFF = {
  '/courses/new': ['title'],
  '/courses/:course/announcements/new': ['title', 'body'],
  '/courses/:course/copy': ['title'],
  '/courses/:course/desk/saved': ['title', 'body'],
  '/courses/:course/faq': ['title', 'body'],
  '/courses/:course/lectures': ['lectures'],
  '/courses/:course/members': ['list'],
  '/courses/:course/settings': ['title'],
  '/courses/:course/settings/rules': ['body'],
}
