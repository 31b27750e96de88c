import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { EventName } from '../../kernel/audit/kinds.ts'
import { perform } from '../../kernel/perform.ts'
import { act, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { complaints, explained } from '../../testing/plans.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { loadForum } from '../../tools/generate/load.ts'
import { addBlocked, ENTRIES, findBlocklists, removeBlocked } from '../blocklists/blocklist.ts'
import { courseBlocklistChange, forumBlocklistChange } from './blocklist.ts'
import { previewBlocklists } from './blocklist-preview.ts'

const BASE_URL = 'http://localhost:3000'
const NONE = { words: [], links: [], emails: [] }

suite('blocklists', () => {
  const forum = sharedForum()

  async function aScene() {
    const { db } = forum
    await db.deleteFrom('blocklist_entries').execute()
    const course = await aCourse(db)
    const instructor = await aMember(db, course, 'instructor')
    const by = { actor: instructor, key: course.slug }
    const lists = async () => {
      const { words, links, emails } = await findBlocklists(db, course.id)
      return { words, links, emails }
    }
    const path = `/courses/${course.slug}/settings/blocklist`
    return { db, course, instructor, by, lists, path, browser: await signedIn(forum.app, instructor) }
  }

  test('are shown what they would hold before they are saved, with what was typed', async () => {
    const { db, course, lists, path, browser } = await aScene()
    await aQuestion(db, { course, title: 'Is the casino open?' })
    const question = await aQuestion(db, { course, title: 'Another one' })
    for (const body of ['The casino.', 'See https://casino.example/x', 'A theatre.'])
      await anAnswer(db, { question, body })
    const links = 'https://casino.example/x'
    const typed = { words: 'Casino\n\ncasino\n', links, emails: '@casino.example' }
    const asked = await browser.post(path, { ...typed, version: '0' })
    assert.equal(asked.statusCode, 200)
    assert.match(textOf(asked.body), /3 of the last 5 posts would have been held.*Nothing is saved yet/s)
    assert.match(asked.body, /<a class="text-link" href="[^"]*">\s*<bdi>Is the casino open\?/)
    assert.match(asked.body, />\s*Casino\n\ncasino\n?</)
    assert.deepEqual(await lists(), NONE)
    const saved = await browser.post(path, { ...typed, version: '0', sure: '1' })
    assert.equal(saved.statusCode, 303)
    const domain = ['casino.example']
    assert.deepEqual(await lists(), { words: ['Casino'], links: domain, emails: domain })
    assert.match(textOf((await browser.get(path)).body), /Saved\./)
    const again = await browser.post(path, { ...typed, version: '9', sure: '1' })
    assert.equal(again.statusCode, 303)
    assert.match(textOf((await browser.get(path)).body), /Nothing changed/)
  })

  test('are refused with the line that is wrong, at the field, and what was typed', async () => {
    const { by, lists, path, browser } = await aScene()
    const many = Array.from({ length: ENTRIES.most + 1 }, (_, at) => `word${at}`).join('\n')
    await refuses(forum, courseBlocklistChange, by, [
      [{ words: 'casino\n*' }, 'words: blocklist.words.wrong'],
      [{ words: '**a*' }, 'words: blocklist.words.wrong'],
      [{ words: 'x'.repeat(65) }, 'words: blocklist.long'],
      [{ words: '\uFDFA'.repeat(20) }, 'words: blocklist.long'],
      [{ words: many }, 'words: blocklist.many'],
      [{ words: 'x\u0000' }, 'words: forms.forbidden'],
      [{ links: 'casino' }, 'links: blocklist.links.wrong'],
      [{ links: 'casino.example\nlocalhost' }, 'links: blocklist.links.wrong'],
      [{ emails: 'someone' }, 'emails: blocklist.emails.wrong'],
      [{ emails: '*.*', words: '*' }, 'words: blocklist.words.wrong, emails: blocklist.emails.wrong'],
    ])
    const refused = await browser.post(path, { words: 'casino\n*', links: 'casino.example' })
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /Line 2: enter at least 2 letters or digits besides \*\./)
    assert.match(refused.body, />\s*casino\n\*\s*</)
    assert.deepEqual(await lists(), NONE)
    const others = many.replace(/word0\n/, '')
    await act(forum, courseBlocklistChange, { ...by, input: { words: `${others}\n\n WORD1 `, sure: '1' } })
    assert.equal((await lists()).words.length, ENTRIES.most)
  })

  test('never have the forum’s own address, or one above it', async () => {
    const { db } = await aScene()
    const admin = await aPerson(db, { isAdmin: true })
    const around = { baseUrl: 'https://forum.school.example', language: 'en', log: () => {} } as const
    for (const links of ['https://forum.school.example/x', 'school.example'])
      for (const sure of ['', '1'])
        await assert.rejects(
          perform(db, forumBlocklistChange, { actor: admin, key: null, input: { links, sure } }, around),
          /links: blocklist.links.own/,
        )
    const links = 'other.school.example'
    await perform(db, forumBlocklistChange, { actor: admin, key: null, input: { links, sure: '1' } }, around)
    assert.deepEqual((await findBlocklists(db, null)).links, [links])
  })

  test('keep what came in while they were changed, and nothing of what was taken out', async () => {
    const { db, course, by, lists } = await aScene()
    await within(db, addBlocked, course.id, 'links', ['one.example', 'two.example'])
    const { newest } = await findBlocklists(db, course.id)
    const [late = 0] = await within(db, addBlocked, course.id, 'links', ['late.example'])
    const input = { links: 'two.example\nthree.example', version: newest, sure: '1' }
    await act(forum, courseBlocklistChange, { ...by, input })
    assert.deepEqual((await lists()).links, ['late.example', 'three.example', 'two.example'])
    const full = Array.from({ length: ENTRIES.most }, (_, at) => `site${at}.example`).join('\n')
    const tooMany = { ...input, links: full }
    await refuses(forum, courseBlocklistChange, by, [[tooMany, 'links: blocklist.full']])
    assert.deepEqual((await lists()).links, ['late.example', 'three.example', 'two.example'])
    await within(db, removeBlocked, [late])
    assert.deepEqual((await lists()).links, ['three.example', 'two.example'])
    await act(forum, courseBlocklistChange, { ...by, input: { sure: '1' } })
    assert.deepEqual(await lists(), NONE)
  })

  test('of a course and of the forum are logged with how many entries, and without them', async () => {
    const { db, course, by } = await aScene()
    const input = { words: 'casino', sure: '1' }
    const noted: EventName[] = []
    await act(forum, courseBlocklistChange, { ...by, input, noted })
    const admin = await aPerson(db, { isAdmin: true })
    await act(forum, forumBlocklistChange, { actor: admin, key: null, input })
    assert.deepEqual(noted, ['blocklist-changed'])
    const logged = (await rowsOf(db, 'audit', { act: 'blocklist-changed' })).slice(-2)
    assert.deepEqual(valuesOf(logged, 'course_id'), [course.id, null])
    for (const { detail } of logged) assert.deepEqual(detail, { added: 1, removed: 0 })
  })

  test('previews count the newest thousand posts that are shown, in the forum’s no private ones, and no address', async () => {
    const { db, course } = await aScene()
    const emails = ['example.org', 'example.com']
    const lists = { words: ['roulette*'], links: ['roulette.example'], emails }
    const preview = (courseId: number | null, of = lists) => previewBlocklists(db, courseId, of, BASE_URL)
    const examples = async (courseId: number | null) => valuesOf((await preview(courseId)).examples, 'text')
    assert.deepEqual(await preview(course.id), { looked: 0, count: 0, examples: [] })
    const question = await aQuestion(db, { course, title: 'Roulettes?' })
    await anAnswer(db, { question, body: '`roulette`' })
    await aQuestion(db, { course, title: 'Tagged?', tags: ['roulette'] })
    await aQuestion(db, { course, title: 'Private roulette?', audience: 'staff' })
    const gone = await anAnswer(db, { question, body: 'Roulette.' })
    await setRows(db, 'answers', gone.id, { deleted_at: new Date() })
    const own = await preview(course.id)
    assert.deepEqual([own.looked, own.count], [4, 3])
    assert.deepEqual(await examples(course.id), ['Private roulette?', 'Tagged?', 'Roulettes?'])
    assert.equal((await preview(course.id, { ...lists, words: [] })).count, 0)
    assert.deepEqual(await examples(null), ['Tagged?', 'Roulettes?'])
    await setRows(db, 'courses', course.id, { is_public: false })
    assert.equal((await preview(null)).count, 0)
    const { author_id } = await rowOf(db, 'questions', question.id)
    const text = { body: 'x', body_html: '<p>x</p>', renderer_version: 1 }
    const made = Array.from({ length: 1005 }, () => ({ question_id: question.id, author_id, ...text }))
    await db.insertInto('answers').values(made).execute()
    const many = await preview(course.id)
    assert.deepEqual([many.looked, many.count], [1000, 0])
  })

  test('say where they aren’t used', async () => {
    const { db, course, path, browser } = await aScene()
    const unused = /doesn’t use these lists now/
    assert.doesNotMatch(textOf((await browser.get(path)).body), unused)
    await setRows(db, 'courses', course.id, { hold: 'none' })
    assert.match(textOf((await browser.get(path)).body), unused)
    await within(db, addBlocked, course.id, 'words', ['casino'])
    const page = (await browser.get(path)).body
    assert.equal(valueIn(page, 'version'), String((await findBlocklists(db, course.id)).newest))
    assert.match(page, />\s*casino\s*<\/textarea>/)
    const admin = await signedIn(forum.app, await aPerson(db, { isAdmin: true }))
    assert.match(textOf((await admin.get('/admin/blocklist')).body), /STRANGERS is set to relaxed/)
  })
})

test('a preview of blocklists reads the questions that were active last, and a thousand of their posts', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  await loadForum(url, { questions: 3000, seed: 3, course: 'long' }, { begin() {}, advance() {} })
  await sql`analyze`.execute(db)
  const { id } = await db.selectFrom('courses').select('id').executeTakeFirstOrThrow()
  const lists = { words: ['the'], links: [], emails: [] }
  for (const courseId of [id, null]) {
    const plans = await explained(url, async (recorded) => {
      const { looked, count } = await previewBlocklists(recorded, courseId, lists, 'http://localhost:3000')
      assert.ok(looked > 900 && count > 100)
    })
    // Of 7,500 answers and half as many replies. The questions are a thousand, with all that is below them.
    assert.deepEqual(
      plans.flatMap((plan) => complaints(plan, 5000)),
      [],
    )
  }
})
