import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { valueIn } from '../../testing/page.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { copyCourse } from '../course-settings/copy.ts'
import { settingsChange } from '../course-settings/operations.ts'
import { askQuestion } from './operations.ts'

const TEMPLATE = '**What I tried**\n\n\n**What happened**'
const QUESTION = { title: 'Which status says so?', tags: 'http' }

suite('what the questions of a course begin with', () => {
  const forum = sharedForum()
  const courseWith = async (question_template: string) => {
    const course = await aCourse(forum.db)
    await setRows(forum.db, 'courses', course.id, { question_template })
    return course
  }

  test('stands in the ask form of that course alone, unless somebody wrote there before', async () => {
    const { db, app } = forum
    const [course, other] = [await courseWith(TEMPLATE), await courseWith('')]
    const asker = await signedIn(app, await aPerson(db))
    const page = await asker.get(`/questions/new?course=${course.slug}`)
    assert.equal(valueIn(page.body, 'body'), TEMPLATE)
    assert.match(page.body, /<textarea[^>]* data-template="\*\*What I tried/)
    assert.equal(valueIn((await asker.get(`/questions/new?course=${other.slug}`)).body, 'body'), '')
    const place = `/questions?course=${course.slug}`
    await asker.post('/drafts', { place, title: 'Mine', body: 'My words', tags: '', version: 0 })
    const { id } = await rowOf(db, 'drafts', { place })
    const draft = await asker.get(`/questions/new?course=${course.slug}&draft=${id}`)
    assert.equal(valueIn(draft.body, 'body'), 'My words')
    const refused = await asker.post('/questions', { course: course.slug, ...QUESTION, body: ' ' })
    assert.equal((valueIn(refused.body, 'body') ?? '').trim(), '', 'what was taken away stays away')
  })

  test('is no question by itself', async () => {
    const { db, app } = forum
    const { slug } = await courseWith(TEMPLATE)
    const actor = await aPerson(db)
    const untouched = 'body: questions.template.untouched'
    await refuses(forum, askQuestion, { actor, key: slug }, [
      [{ ...QUESTION, body: TEMPLATE }, untouched],
      [{ ...QUESTION, body: `\r\n ${TEMPLATE.replaceAll('\n', '\r\n')}\r\n` }, untouched],
      [{ ...QUESTION, body: `${TEMPLATE}\nIt says 500.` }, 'done'],
    ])
    const asked = { course: slug, ...QUESTION, body: TEMPLATE }
    const preview = await (await signedIn(app, actor)).post('/questions/preview', asked)
    assert.equal(preview.statusCode, 422)
    assert.match(preview.body, /Fill in the template[\s\S]*What I tried/)
  })

  test('is chosen by who runs the course, with a suggestion in its language, and comes along in a copy', async () => {
    const { db, app } = forum
    const course = await courseWith('')
    const actor = await aMember(db, course, 'instructor')
    const texts = { title: 'A course', field: '', description: '', question_template: TEMPLATE }
    const choices = { language: 'ko', time_zone: 'UTC', visibility: 'public', asking: 'everybody' }
    const settings = { ...texts, ...choices, accent: 'green', promise_hours: '', version: 1 }
    const tooLong = 'question_template: courseSettings.question_template.long'
    const path = `/courses/${course.slug}/settings`
    const suggested = await (await signedIn(app, actor)).post(path, { ...settings, suggest: '1' })
    assert.equal(suggested.statusCode, 200)
    assert.match(valueIn(suggested.body, 'question_template') ?? '', /\*\*시도한 것\*\*/)
    await refuses(forum, settingsChange, { actor, key: course.slug }, [
      [{ ...settings, question_template: 'x'.repeat(2001) }, tooLong],
      [settings, 'done'],
    ])
    const copy = await within(db, copyCourse, course.id, 'Copy', actor.id)
    assert.equal((await rowOf(db, 'courses', copy.id)).question_template, TEMPLATE)
  })

  test('a preview says what would make the question easier to answer', async () => {
    const { db, app } = forum
    const course = await courseWith('')
    const asker = await signedIn(app, await aPerson(db))
    const body = 'public class A {\n    int a;\n}'
    const asked = { course: course.slug, title: 'Help', tags: 'http', body }
    const page = await asker.post('/questions/preview', asked)
    assert.equal(page.statusCode, 200)
    const shown = Array.from(page.body.matchAll(/data-hint="(\w+)">/g), ([, hint]) => hint)
    assert.deepEqual(shown, ['title', 'short', 'code'])
    assert.equal((await asker.post('/questions', asked)).statusCode, 303)
  })
})
