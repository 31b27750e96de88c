import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { beginSession, endOtherSessions } from '../../accounts/sessions/sessions.ts'
import { recount } from '../../database/recount.ts'
import { refuses } from '../../testing/act.ts'
import { aCourse, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf, valueIn } from '../../testing/page.ts'
import { rowOf } from '../../testing/rows.ts'
import { askQuestion } from './operations.ts'
import { anAsker } from './testing.ts'

const GOOD = { title: 'A good title', body: 'A body.', tags: '' }

/** What is wrong with a question; '': nothing. */
async function wrongIn(sent: Readonly<Record<string, string>>): Promise<string> {
  const read = await askQuestion.read({ ...GOOD, ...sent })
  return read.ok ? '' : read.errors.map(({ message }) => message.key).join()
}

suite('asking', () => {
  const forum = sharedForum()

  test('a question with everything is posted, shown and counted', async () => {
    const { course, person, browser, ask } = await anAsker(forum)
    const fields = {
      title: '  What is   "HATEOAS"? ',
      body: 'First line\r\n\r\n    code\r\n',
      tags: 'REST, c++ ,rest,, Node.js',
      lecture: '2',
      category: 'organisation',
    }
    const unnamed = { author_id: '1', status: 'resolved', votes_count: '99', is_imported: 'true', id: '7' }
    const answer = await ask({ ...fields, ...unnamed })
    assert.equal(answer.statusCode, 303)
    assert.match(String(answer.headers.location), /^\/questions\/\d+\/what-is-hateoas$/)
    const page = await browser.follow(answer)
    const shown = textOf(page.body)
    const said = ['Question posted.', 'What is "HATEOAS"?', 'rest c++ node.js', 'Lecture 2 · Two']
    for (const part of [...said, 'Organisation']) assert.ok(shown.includes(part), part)
    const where = { course_id: course.id }
    const text = { body: 'First line\n\n    code', author_id: person.id }
    const state = { status: 'unresolved', votes_count: 0, is_imported: false }
    assert.partialDeepStrictEqual(await rowOf(forum.db, 'questions', where), { ...text, ...state })
    const counted = { questions_count: 1, unanswered_count: 1, resolved_count: 0 }
    assert.partialDeepStrictEqual(await rowOf(forum.db, 'courses', course.id), counted)
    const member = { person_id: person.id, role: 'learner' }
    assert.partialDeepStrictEqual(await rowOf(forum.db, 'course_members', where), member)
    assert.deepEqual(await recount(forum.db), [])
  })

  test('lectures and categories are those of the course', async () => {
    const { course, person: actor } = await anAsker(forum)
    const lectures = ['3', '0', '-1', '1e0', '01', 'x', '1.5', '99999999999']
    await refuses(forum, askQuestion, { actor, key: course.slug }, [
      ...lectures.map((lecture) => [{ ...GOOD, lecture }, 'lecture: questions.lecture.unknown'] as const),
      [{ ...GOOD, category: 'of-another-course' }, 'category: questions.category.unknown'],
      [{ ...GOOD, lecture: '1' }, 'done'],
      [{ ...GOOD, category: '' }, 'done'],
    ])
  })

  test('spaces in a tag become hyphens, and both the form and the next page say so', async () => {
    const { course, browser, ask } = await anAsker(forum)
    const form = textOf((await browser.get(`/questions/new?course=${course.slug}`)).body)
    assert.match(form, /Ask it in one sentence.*Spaces become hyphens/)
    const page = await browser.follow(await ask({ tags: 'Response \u00a0Entity, response-entity, rest' }))
    assert.match(textOf(page.body), /Spaces in tags became hyphens.*response-entity rest/)
    assert.equal((await browser.get('/tags/Response%20Entity')).headers.location, '/tags/response-entity')
    const listed = textOf((await browser.get('/questions?tag=Response+Entity')).body)
    assert.match(listed, /response-entity rest/)
  })

  test('a refused form keeps every typed value and links a summary to the fields', async () => {
    const { browser, ask } = await anAsker(forum)
    const texts = { title: 'x"', body: '\n&lt;b> "kept"\n', tags: 'two/words' }
    const typed = { ...texts, lecture: '2', category: 'organisation' }
    const { statusCode, body } = await ask(typed)
    assert.equal(statusCode, 422)
    for (const [name, value] of Object.entries(typed)) assert.equal(valueIn(body, name), value, name)
    const summary = /<div class="error-summary"[\s\S]*?<\/div>/.exec(body)?.[0] ?? ''
    const links = [...summary.matchAll(/href="#([^"]+)"/g)].map((match) => match[1] ?? '')
    assert.deepEqual(links, ['title', 'tags'])
    for (const id of links) {
      assert.match(elementIn(body, `${id}-error`), /class="error"/)
      const described = `id="${id}"[^>]*aria-describedby="[^"]*${id}-error[ "][^>]*aria-invalid="true"`
      assert.match(body, new RegExp(described))
    }
    assert.equal((await browser.get('/questions/new')).statusCode, 200)
  })

  test('a course one cannot see, or that is not there, is refused and the text kept', async () => {
    const { ask } = await anAsker(forum)
    const hidden = await aCourse(forum.db, { isPublic: false, title: 'Hidden course' })
    for (const course of [hidden.slug, 'no-such-course', 'a\u0000b']) {
      const answer = await ask({ course, body: 'kept words' })
      assert.equal(answer.statusCode, 422, course)
      assert.equal(valueIn(answer.body, 'body'), 'kept words')
      assert.doesNotMatch(answer.body, /Hidden course/)
    }
  })

  test('where there are several courses one chooses, and a link can choose course and lecture', async () => {
    const { course, browser } = await anAsker(forum)
    await aCourse(forum.db, { title: 'C <i>or</i> C++' })
    const choice = (await browser.get('/questions/new')).body
    assert.match(choice, new RegExp(`href="/questions/new\\?course=${course.slug}"`))
    assert.match(choice, />C &lt;i&gt;or&lt;\/i&gt; C\+\+<\/a>/, 'a title is text')
    const { body } = await browser.get(`/questions/new?course=${course.slug}&lecture=2`)
    assert.deepEqual([valueIn(body, 'course'), valueIn(body, 'lecture')], [course.slug, '2'])
  })

  test('Enter in a line of the form posts nothing, without scripts too', async () => {
    const { course, browser } = await anAsker(forum)
    const { body } = await browser.get(`/questions/new?course=${course.slug}`)
    const form = /<form[^>]* action="\/questions"[\s\S]*?<\/form>/.exec(body)?.[0] ?? ''
    // HTML presses the first submit button that is the form's own ("implicit submission").
    const [first = ''] = /<button(?![^>]* (?:form|type)=)[^>]*>/.exec(form) ?? []
    assert.match(first, / disabled/)
  })

  test('what was typed before signing in waits until a course is chosen', async () => {
    const { course, person, browser, ask } = await anAsker(forum)
    await aQuestion(forum.db)
    for (const unknown of ['', 'no-such-course']) {
      await endOtherSessions(forum.db, person.id, null)
      const sent = await ask({ course: unknown, title: 'Typed title', body: 'Typed body' })
      const next = new URL(String(sent.headers.location), 'http://forum').searchParams.get('next') ?? ''
      const kept = new URL(next, 'http://forum').searchParams.get('kept')
      browser.cookies.set('session', await beginSession(forum.db, person.id, 'a test'))
      const choice = await browser.get(next)
      const path = `/questions/new?course=${course.slug}&kept=${kept}`
      assert.ok(choice.body.includes(`href="${path.replace('&', '&amp;')}"`))
      const { body } = await browser.get(path)
      const shown = ['course', 'title', 'body'].map((name) => valueIn(body, name))
      assert.deepEqual(shown, [course.slug, 'Typed title', 'Typed body'])
    }
  })

  test('a fruitless search becomes the title, and its filters the course, the lecture and the tags', async () => {
    const { course, browser } = await anAsker(forum)
    const typed = `"zyx quux" frobs tag:rest lecture:2 course:${course.slug} -spring`
    const page = await browser.get(`/search?q=${encodeURIComponent(typed)}`)
    const form = await browser.get(askLink(page.body))
    assert.equal(valueIn(form.body, 'title'), 'zyx quux frobs')
    assert.equal(valueIn(form.body, 'tags'), 'rest')
    assert.match(form.body, /<option value="2" selected/)
  })

  test('a tag’s and a lecture’s page bring them along, also by way of the choice of a course', async () => {
    const { course, browser } = await anAsker(forum)
    await aCourse(forum.db)
    await aQuestion(forum.db, { course, tags: ['paging'] })
    const lecture = await browser.get(`/courses/${course.slug}?lecture=2`)
    assert.match((await browser.get(askLink(lecture.body))).body, /<option value="2" selected/)
    const tag = await browser.get('/tags/paging')
    const choice = await browser.get(askLink(tag.body))
    const chosen = linksIn(choice.body).find((path) => path.includes(`course=${course.slug}&`)) ?? ''
    assert.equal(valueIn((await browser.get(chosen)).body, 'tags'), 'paging')
  })

  test('"Mine" and a lecture without questions say so, and offer to ask', async () => {
    const { course, browser } = await anAsker(forum)
    const mine = await browser.get('/questions?mine=1')
    assert.match(textOf(mine.body), /You haven’t asked anything here yet/)
    const lecture = await browser.get(`/courses/${course.slug}?lecture=2`)
    assert.match(textOf(lecture.body), /No questions about this lecture yet/)
    assert.match(lecture.body, /class="empty">[\s\S]*href="\/questions\/new\?course=[^"]*lecture=2"/)
  })
})

suite('limits of a question', () => {
  test('the limits count characters, not bytes or UTF-16 units', async () => {
    const [short, long] = ['questions.title.short', 'questions.title.long']
    const [empty, forbidden] = ['posts.body.short', 'forms.forbidden']
    const cases: [Record<string, string>, string, string][] = [
      [{ title: 'ab' }, short, 'a title of 2'],
      [{ title: 'a  b' }, '', 'a title of 3 after blanks are one'],
      [{ title: '한글요' }, '', 'a Korean title of 3'],
      [{ title: '한글요'.normalize('NFD').slice(0, 6) }, short, 'a decomposed Korean title of 2'],
      [{ title: '😀😀' }, short, 'two emoji'],
      [{ title: '😀'.repeat(150) }, '', '150 emoji'],
      [{ title: '😀'.repeat(151) }, long, '151 emoji'],
      [{ title: '가'.repeat(150) }, '', '150 Korean'],
      [{ title: '가'.repeat(151) }, long, '151 Korean'],
      [{ title: 'é'.normalize('NFD').repeat(150) }, '', '150 letters, each of two parts'],
      [{ title: '\u200b\u200b\u200b' }, short, 'nothing to see'],
      [{ body: '' }, empty, 'no body'],
      [{ body: ' \r\n\t\r\n ' }, empty, 'a blank body'],
      [{ body: 'x' }, '', 'a body of 1'],
      [{ body: '한'.repeat(30_000) }, '', 'a body of 30,000'],
      [{ body: '한'.repeat(30_001) }, 'posts.body.long', 'a body of 30,001'],
      [{ body: 'x\r\n'.repeat(15_000) }, '', 'line ends count once'],
      [{ title: 'a\u0000bc' }, forbidden, 'NUL in a title'],
      [{ title: 'a\tbc' }, '', 'a tab in a title'],
      [{ title: 'a\t' }, short, 'a tab at the end of a title of 1'],
      [{ title: 'a\u000bbc' }, forbidden, 'a vertical tab in a title'],
      [{ title: 'a\u001b[31mb' }, forbidden, 'an escape sequence in a title'],
      [{ title: 'a\nbc' }, forbidden, 'a line end in a title'],
      [{ body: 'a\u0000b' }, forbidden, 'NUL in a body'],
      [{ body: 'a\u001bb' }, forbidden, 'ESC in a body'],
      [{ body: 'a\u001b[31' }, forbidden, 'half an escape sequence in a body'],
      [{ body: '\u001b[31m\u001b[0m' }, empty, 'a body of escape sequences'],
      [{ body: '[a]: https://x.y' }, empty, 'a body of a link definition'],
      [{ body: '&#8203;&nbsp;\n\n&zwj;' }, empty, 'a body of invisible entities'],
      [{ body: '---' }, '', 'a body of a rule'],
      [{ body: 'a\tb\r\nc' }, '', 'tab and line end in a body'],
    ]
    for (const [fields, wrong, name] of cases) assert.equal(await wrongIn(fields), wrong, name)
  })

  test('text is kept in Unicode NFC, a tab in a title is a blank, and a terminal’s colours are no part of a body', async () => {
    const text = 'Cafe\u0301 한글'.normalize('NFD')
    const [title, body] = [`${text}:\tat  line 3`, `${text}:\n\u001b[31mERROR\u001b[0m failed`]
    const read = await askQuestion.read({ title, body, tags: '한글'.normalize('NFD') })
    assert.ok(read.ok)
    const { values } = read
    assert.deepEqual([values.title, values.tags], ['Café 한글: at line 3', ['한글']])
    assert.partialDeepStrictEqual(values.body, { source: 'Café 한글:\nERROR failed' })
  })

  test('tags are at most five words of letters, digits and + # . -', async () => {
    const [many, wrong] = ['questions.tags.many', 'questions.tags.wrong']
    const taken = ['a,b,c,d,e', 'a,b,c,d,e,E,a', ' , ,', '한국어, c#, node.js, c++, x-1', 'हिन्दी']
    for (const tags of [...taken, '가'.repeat(32), 'a，b、c', 'ß', 'two words'])
      assert.equal(await wrongIn({ tags }), '', tags)
    assert.equal(await wrongIn({ tags: 'a,b,c,d,e,f' }), many)
    const refused = ['a/b', '<b>', 'a&b', '😀', 'x'.repeat(33), '가'.repeat(33), '.', '..', 'a"b', '%41']
    for (const tags of refused) assert.equal(await wrongIn({ tags }), wrong, tags)
  })
})

/** The last link to the ask form: the one in the page, not the masthead's. */
function askLink(body: string): string {
  return linksIn(body).findLast((path) => path.startsWith('/questions/new')) ?? ''
}

function linksIn(body: string): string[] {
  return Array.from(body.matchAll(/ href="([^"]+)"/g), ([, path = '']) => path.replaceAll('&amp;', '&'))
}
