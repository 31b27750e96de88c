import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { claimsOf } from '../../kernel/rights/routes-testing.ts'
import { RIGHTS } from '../../kernel/rights/table.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { aForum, sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { questionPath } from '../../web/paths.ts'
import { announcementEdit, postAnnouncement } from '../announcements/announcement.ts'
import { postAnswer } from '../answers/operations.ts'
import { courseArchiving } from '../course-settings/operations.ts'
import { faqChange, faqEntry } from '../faq/operations.ts'

suite('a course that is archived', () => {
  const forum = sharedForum()

  async function anArchivedThread() {
    const { db } = forum
    const course = await aCourse(db)
    const asker = await aPerson(db)
    const question = await aQuestion(db, { course, author: asker })
    const answer = await anAnswer(db, { question, author: asker })
    const reply = await aReply(db, { answer, author: asker })
    await setRows(db, 'courses', course.id, { archived_at: new Date() })
    return { course, asker, question, answer, reply }
  }

  test('refuses every form that writes in it, with a page that says why', async () => {
    const { app, db } = forum
    const { course, ...posts } = await anArchivedThread()
    const ids = { questions: posts.question.id, answers: posts.answer.id, replies: posts.reply.id }
    const browser = await signedIn(app, await aMember(db, course, 'instructor'))
    const writing = routesOf(app).filter(({ method, path }) =>
      (claimsOf(`${method} ${path}`) ?? []).some(
        ({ act }) =>
          method === 'POST' && act in RIGHTS && !isOfAccounts(act) && isOfPosts(path) && !isLeft(act),
      ),
    )
    assert.ok(writing.length > 12)
    for (const { path } of writing) {
      const kind = path.split('/')[1] as keyof typeof ids
      const answer = await browser.post(path.replace(':id', String(ids[kind])), { body: 'x', value: '1' })
      assert.equal(answer.statusCode, 403, path)
      assert.match(textOf(answer.body), /This course is archived/, path)
    }
  })

  test('takes no question, says so, and keeps what was typed', async () => {
    const { app, db } = forum
    const { course } = await anArchivedThread()
    const browser = await signedIn(app, await aPerson(db))
    const form = await browser.get(`/questions/new?course=${course.slug}`)
    assert.equal(form.statusCode, 403)
    assert.match(textOf(form.body), /This course is archived/)
    const asked = { course: course.slug, title: 'Is anybody here?', body: 'Kept words.', tags: '' }
    const refused = await browser.post('/questions', asked)
    assert.equal(refused.statusCode, 403)
    assert.match(refused.body, /Kept words\./)
  })

  test('is told nothing, and its FAQ stays as it is', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const actor = await aMember(db, course, 'instructor')
    const by = { actor, key: course.slug }
    const input = { title: 'Room 5', body: 'We meet in room 5.', version: '1', state: 'shown' }
    await act(forum, postAnnouncement, { ...by, input })
    await act(forum, faqEntry, { ...by, input })
    const ofCourse = { course_id: course.id }
    const { id: announcement } = await rowOf(db, 'announcements', ofCourse)
    const { id: entry } = await rowOf(db, 'faq_entries', ofCourse)
    await act(forum, courseArchiving, { ...by, input: { value: '1' } })
    const other = { ...input, title: 'Room 6' }
    const sent = [[other, 'archived']] as const
    await refuses(forum, postAnnouncement, by, sent)
    await refuses(forum, announcementEdit, { actor, key: announcement }, sent)
    await refuses(forum, faqEntry, by, sent)
    await refuses(forum, faqChange, { actor, key: entry }, sent)
    for (const table of ['announcements', 'faq_entries'] as const)
      assert.deepEqual(valuesOf(await rowsOf(db, table, ofCourse), 'title'), ['Room 5'])
  })

  test('is read as before, without forms, and says that it is archived', async () => {
    const { app, db } = forum
    const { course, question } = await anArchivedThread()
    for (const browser of [visitor(app), await signedIn(app, await aPerson(db))]) {
      const page = await browser.get(questionPath(question))
      assert.equal(page.statusCode, 200)
      assert.match(textOf(page.body), /This course is archived and read-only/)
      assert.doesNotMatch(page.body, /action="[^"]*\/(answers|replies|votes|resolution|edit)"/)
      assert.equal((await browser.get(`/courses/${course.slug}`)).statusCode, 200)
    }
  })
})

test('where members alone write, others read and are told so', async (t) => {
  const { app, db } = await aForum(t)
  const course = await aCourse(db)
  await setRows(db, 'courses', course.id, { asking: 'members' })
  const question = await aQuestion(db, { course })
  const [stranger, member] = [await aPerson(db), await aMember(db, course)]
  const reader = await signedIn(app, stranger)
  assert.equal((await reader.get(`/questions/new?course=${course.slug}`)).statusCode, 403)
  const page = textOf((await reader.get(questionPath(question))).body)
  assert.match(page, /Only members of this course can post/)
  const answers = (actor: { readonly id: number }) =>
    refusalOf({ db }, postAnswer, { actor, key: question.id, input: { body: 'x' } })
  assert.deepEqual([await answers(stranger), await answers(member)], ['forbidden', 'done'])
})

const isOfAccounts = (act: string) => act === 'meet' || act === 'have-account'
const isOfPosts = (path: string) => /^\/(questions|answers|replies)\/:id\//.test(path)
const isLeft = (act: string) => RIGHTS[act as keyof typeof RIGHTS].on.includes('archived')
