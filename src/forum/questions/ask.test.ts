import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { beginSession, endOtherSessions } from '../../accounts/sessions/sessions.ts'
import { recount } from '../../database/recount.ts'
import { refuses } from '../../testing/act.ts'
import { aCourse, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf, valueIn } from '../../testing/page.ts'
import { askQuestion } from './operations.ts'
import { anAsker } from './testing.ts'

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
    const text = textOf(page.body)
    const said = [
      'Question posted.',
      'What is "HATEOAS"?',
      'rest c++ node.js',
      'Lecture 2 · Two',
      'Organisation',
    ]
    for (const part of said) assert.ok(text.includes(part), part)
    const kept = await forum.db
      .selectFrom('questions as q')
      .innerJoin('courses', 'courses.id', 'q.course_id')
      .innerJoin('course_members', 'course_members.course_id', 'courses.id')
      .select(['body', 'author_id', 'status', 'votes_count', 'is_imported', 'role'])
      .select(['questions_count', 'unanswered_count', 'resolved_count'])
      .where('courses.id', '=', course.id)
      .execute()
    assert.deepEqual(kept, [
      {
        ...{ body: 'First line\n\n    code', author_id: person.id, role: 'learner' },
        ...{ status: 'unresolved', votes_count: 0, is_imported: false },
        ...{ questions_count: 1, unanswered_count: 1, resolved_count: 0 },
      },
    ])
    assert.deepEqual(await recount(forum.db), [])
  })

  test('lectures and categories are those of the course', async () => {
    const { course, person: actor } = await anAsker(forum)
    const good = { title: 'A good title', body: 'A body.', tags: '' }
    const lectures = ['3', '0', '-1', '1e0', '01', 'x', '1.5', '99999999999']
    await refuses(forum, askQuestion, { actor, key: course.slug }, [
      ...lectures.map((lecture) => [{ ...good, lecture }, 'lecture: questions.lecture.unknown'] as const),
      [{ ...good, category: 'of-another-course' }, 'category: questions.category.unknown'],
      [{ ...good, lecture: '1' }, 'done'],
      [{ ...good, category: '' }, 'done'],
    ])
  })

  test('spaces in a tag become hyphens, and both the form and the next page say so', async () => {
    const { course, browser, ask } = await anAsker(forum)
    const form = textOf((await browser.get(`/questions/new?course=${course.slug}`)).body)
    assert.match(form, /Ask it in one sentence/)
    assert.match(form, /Spaces become hyphens/)

    const page = await browser.follow(await ask({ tags: 'Response \u00a0Entity, response-entity, rest' }))

    assert.match(textOf(page.body), /Spaces in tags became hyphens/)
    assert.match(textOf(page.body), /response-entity rest/)
    assert.equal((await browser.get('/tags/Response%20Entity')).headers.location, '/tags/response-entity')
    const listed = textOf((await browser.get('/questions?tag=Response+Entity')).body)
    assert.match(listed, /response-entity rest/)
  })

  test('a refused form keeps every typed value and links a summary to the fields', async () => {
    const { browser, ask } = await anAsker(forum)
    const typed = {
      title: 'x"',
      body: '\n&lt;b> "kept"\n',
      tags: 'two/words',
      lecture: '2',
      category: 'organisation',
    }
    const { statusCode, body } = await ask(typed)
    assert.equal(statusCode, 422)
    for (const [name, value] of Object.entries(typed)) assert.equal(valueIn(body, name), value, name)
    const summary = /<div class="error-summary"[\s\S]*?<\/div>/.exec(body)?.[0] ?? ''
    const links = [...summary.matchAll(/href="#([^"]+)"/g)].map((match) => match[1] ?? '')
    assert.deepEqual(links, ['title', 'tags'])
    for (const id of links) {
      assert.match(elementIn(body, `${id}-error`), /class="error"/)
      assert.match(
        body,
        new RegExp(`id="${id}"[^>]*aria-describedby="[^"]*${id}-error[ "][^>]*aria-invalid="true"`),
      )
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
      assert.equal(valueIn(body, 'course'), course.slug)
      assert.equal(valueIn(body, 'title'), 'Typed title')
      assert.equal(valueIn(body, 'body'), 'Typed body')
    }
  })
})
