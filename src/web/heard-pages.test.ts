import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Browser, signedIn, visitor } from '../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { questionPath } from './paths.ts'

const titleOf = async (browser: Browser, path: string) =>
  /<title>([^<]*) · Handup<\/title>/.exec((await browser.get(path)).body)?.[1]

suite('what is heard of a page', () => {
  const forum = sharedForum()

  test('its title begins with what tells it from the other lists of its course', async () => {
    const course = await aCourse(forum.db, { title: 'REST', lectures: ['Verbs', 'Paths'] })
    await aQuestion(forum.db, { course, title: 'Why 405?', lectureId: course.lectureIds[1] ?? 0 })
    const path = `/courses/${course.slug}`
    const browser = visitor(forum.app)
    const titles = {
      '': 'REST',
      '?status=unanswered': 'Unanswered · REST',
      '?sort=votes': 'Most votes · REST',
      '?lecture=2': 'Lecture 2 · Paths · REST',
      '?lecture=2&status=resolved&sort=views': 'Lecture 2 · Paths · Resolved · Most views · REST',
    }
    for (const [query, title] of Object.entries(titles))
      assert.equal(await titleOf(browser, path + query), title)
    const staff = await signedIn(forum.app, await aMember(forum.db, course, 'instructor'))
    const desk = `Desk of REST: questions waiting for staff`
    assert.equal(await titleOf(staff, `${path}/desk`), `Why 405? · ${desk}`)
    assert.equal(await titleOf(staff, `${path}/desk?view=mine`), `Assigned to me · ${desk}`)
    const search = await titleOf(browser, '/search?q=405')
    assert.match(search ?? '', /^Search: 405 · (?:\d+ questions?|No results)$/)
  })

  test('the title of a page about something names it', async () => {
    const course = await aCourse(forum.db, { title: 'Titles' })
    const asker = await aMember(forum.db, course)
    const question = await aQuestion(forum.db, { course, author: asker, title: 'Why 405?' })
    const answer = await anAnswer(forum.db, { question, author: asker })
    const browser = await signedIn(forum.app, asker)
    const titles = {
      [`/questions/new?course=${course.slug}`]: 'Ask a question · Titles',
      [`/questions/${question.id}/edit`]: 'Edit your question · Why 405?',
      [`/answers/${answer.id}/edit`]: 'Edit answer · Why 405?',
      [`/questions/${question.id}/history`]: 'Edit history · Why 405?',
      [`/tags?course=${course.slug}`]: 'Tags · Titles',
      [`${questionPath(question)}?answers=newest`]: 'Why 405? · Newest',
    }
    for (const [path, title] of Object.entries(titles)) assert.equal(await titleOf(browser, path), title)
  })

  test('the time of a post is said once, in words, as the name of its link', async () => {
    const course = await aCourse(forum.db)
    const author = await aMember(forum.db, course)
    const writtenAt = new Date('2026-01-05T12:30:00Z')
    const question = await aQuestion(forum.db, { course, author, writtenAt })
    const page = (await visitor(forum.app).get(questionPath(question))).body
    const link = /<a href="#question">(.*?)<\/a>/.exec(page)?.[1]?.replace(/<[^>]+>/g, '')
    assert.equal(link, '2026.01.05 12:305 January 2026, 12:30, UTC')
    assert.match(page, /<a href="#question"><span[^>]* aria-hidden="true"><time/)
  })

  test('a refused form says so first, and each field its error before its hint', async () => {
    const course = await aCourse(forum.db)
    const asker = await signedIn(forum.app, await aMember(forum.db, course))
    const refused = await asker.post('/questions', { course: course.slug, title: '', body: '' })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /<title>Error: /)
    assert.match(refused.body, /id="title"[^>]* aria-describedby="title-error title-hint"/)
  })

  test('choices are named by their bold words, and their explanations describe them', async () => {
    const course = await aCourse(forum.db)
    const instructor = await signedIn(forum.app, await aMember(forum.db, course, 'instructor'))
    const settings = `/courses/${course.slug}/settings`
    const ofCourse = [`/questions/new?course=${course.slug}`, settings, `${settings}/webhooks?kind=standard`]
    const paths = [...ofCourse, '/settings/notifications', '/settings/tokens']
    for (const path of paths) {
      const { body } = await instructor.get(path)
      for (const [choice, input] of body.matchAll(/<label class="choice[^>]*>(<input[^>]*>).*?<\/label>/gs)) {
        if (!choice.includes('<small')) continue
        const [name, description] = ['labelledby', 'describedby'].map(
          (of) => new RegExp(`aria-${of}="(?:[^"]* )?([^" ]+)"`).exec(input ?? '')?.[1],
        )
        assert.match(choice, new RegExp(`<(?:b|span) id="${name}">`), path)
        assert.match(choice, new RegExp(`<small id="${description}">`), path)
      }
    }
  })

  test('lectures beside a list are a list, a member’s row is headed by the name, and a search by its words', async () => {
    const course = await aCourse(forum.db, { lectures: ['Verbs'] })
    const instructor = await aMember(forum.db, course, 'instructor')
    const browser = await signedIn(forum.app, instructor)
    const list = (await browser.get(`/courses/${course.slug}`)).body
    assert.match(list, /<ul class="contents-lectures" role="list">\s*<li>\s*<a/)
    const members = (await browser.get(`/courses/${course.slug}/members`)).body
    assert.match(members, new RegExp(`<th scope="row" aria-labelledby="member-${instructor.id}">`))
    const search = (await browser.get('/search?q=자바')).body
    assert.match(search, /<h1 class="page-title search-title" lang="ko">자바/)
  })

  test('texts have the language that they are written in, or that of their course', async () => {
    const course = await aCourse(forum.db, { title: '자바', language: 'ko', lectures: ['ResponseEntity'] })
    const lectureId = course.lectureIds[0] ?? 0
    const told = { course, lectureId, title: 'ResponseEntity' }
    const question = await aQuestion(forum.db, { ...told, body: 'Why is it what it is, and when?' })
    await anAnswer(forum.db, { question, body: '그것은 그렇습니다.' })
    const list = (await visitor(forum.app).get(`/courses/${course.slug}`)).body
    assert.match(list, /<h2 class="question-title" lang="ko">/)
    assert.match(list, /<p class="excerpt" lang="en">/)
    assert.match(list, /<span lang="ko">ResponseEntity<\/span>/, 'in the contents')
    assert.match(list, /<a class="lecture" href="[^"]*" lang="ko">/)
    const page = (await visitor(forum.app).get(questionPath(question))).body
    assert.match(page, /<h1 lang="ko">/)
    assert.match(page, />Lecture 1 · <span lang="ko">ResponseEntity<\/span><\/a>/)
    assert.match(list, /<option value="1" lang="ko">\s*1 · ResponseEntity\s*<\/option>/)
    assert.match(page, /<div class="prose" lang="en">/)
    assert.match(page, /<div class="prose" lang="ko">/)
  })

  test('the state of a question comes right after its title', async () => {
    const course = await aCourse(forum.db)
    await aQuestion(forum.db, { course })
    const { body } = await visitor(forum.app).get(`/courses/${course.slug}`)
    assert.match(body, /<\/a>\s*<\/h2>\s*<span class="visually-hidden">Unresolved<\/span>/)
    assert.match(body, /<span class="status waiting" aria-hidden="true">/)
  })
})
