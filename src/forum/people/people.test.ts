import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { aForum, sharedForum } from '../../testing/forum.ts'
import { relIn, textOf } from '../../testing/page.ts'
import { deleteAnswer, deleteQuestion } from '../../testing/posts.ts'
import { rowsOf, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { setEndorsement } from '../answers/endorsement.ts'
import { ANSWERS_PER_PAGE, countOlderPosts } from './queries.ts'

suite('profiles', () => {
  const forum = sharedForum()

  test('a profile shows who somebody is, their roles, and what they asked', async () => {
    const { db, app } = forum
    const course = await aCourse(db, { title: 'REST with Java' })
    const mina = await aMember(db, course, 'instructor', await aPerson(db, { displayName: 'Mina Kim' }))
    await aQuestion(db, { course, author: mina, title: 'Why is it 404?' })
    await within(db, deleteQuestion, (await aQuestion(db, { course, author: mina, title: 'Deleted one' })).id)
    await anAnswer(db, { author: mina })

    const { body, statusCode } = await visitor(app).get(`/people/${mina.id}/mina-kim`)

    assert.equal(statusCode, 200)
    for (const shown of [
      /<h1 class="page-title"><bdi>Mina Kim<\/bdi><\/h1>/,
      />MK</,
      /REST with Java<\/a>\s*<span class="pill staff">/,
      /Why is it 404\?/,
    ])
      assert.match(body, shown)
    assert.doesNotMatch(body, /Deleted one/)
    assert.deepEqual(figuresOf(body), figures(1, 1))
  })

  test('the answers of a person lead to each answer, with votes, the accepted mark and how they begin', async () => {
    const { db, app } = forum
    const mina = await aPerson(db, { displayName: 'Mina' })
    const question = await aQuestion(db, { title: 'Why is it 404?' })
    const about = { question, author: mina }
    const answer = await anAnswer(db, { ...about, votes: 2, isAccepted: true, body: '**Because** `a < b`.' })
    const gone = await anAnswer(db, { ...about, body: 'Taken back' })
    await within(db, deleteAnswer, question.id, gone.id)

    const { body } = await visitor(app).get(`/people/${mina.id}/mina?show=answers`)

    const link = `href="/questions/${question.id}/why-is-it-404#answer-${answer.id}">Why is it 404`
    for (const shown of [link, '<b>2</b> votes<', 'Accepted answer', 'Because a &lt; b.'])
      assert.ok(body.includes(shown), shown)
    assert.doesNotMatch(body, /Taken back/)
    assert.deepEqual(figuresOf(body), figures(0, 1, { accepted: 1, votes: 2 }))
  })

  test('a profile counts what others found good, says what the answers are about, and which is best', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'instructor', await aPerson(db, { displayName: 'Mara' }))
    const mina = await aPerson(db, { displayName: 'Mina' })
    await aQuestion(db, { course, author: mina, votes: 3 })
    const first = await aQuestion(db, { course, title: 'Why is it 404?', tags: ['http', 'java'] })
    const second = await aQuestion(db, { course, title: 'PUT or POST?', tags: ['http'] })
    await anAnswer(db, { question: first, author: mina, votes: 1, isAccepted: true })
    const best = await anAnswer(db, { question: second, author: mina, votes: 2 })
    await within(db, setEndorsement, second.id, best.id, staff.id)
    const reader = visitor(app)
    const profile = async () => (await reader.get(`/people/${mina.id}/mina`)).body

    const body = await profile()
    assert.deepEqual(figuresOf(body), figures(1, 2, { accepted: 1, endorsed: 1, votes: 6 }))
    assert.match(
      textOf(body),
      /Top tags #http 2 answers #java 1 answer Top answer PUT or POST\? 2 votes Endorsed by Mara/,
    )
    assert.ok(body.includes(`href="/questions/${second.id}/put-or-post#answer-${best.id}"`))

    await within(db, deleteAnswer, second.id, best.id)
    const after = await profile()
    assert.deepEqual(figuresOf(after), figures(1, 1, { accepted: 1, votes: 4 }))
    assert.match(textOf(after), /Top answer Why is it 404\? 1 vote Accepted answer/)
  })

  test('votes, endorsements and tags of private and anonymous posts are in nobody’s profile', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const staff = await aMember(db, course, 'instructor')
    const mina = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Mina' }))
    await aQuestion(db, { course, author: mina, votes: 5, isAnonymous: true })
    const kept = await aQuestion(db, { course, author: mina, votes: 1, audience: 'staff', tags: ['kept'] })
    const masked = await anAnswer(db, { author: mina, votes: 4, isAnonymous: true, isAccepted: true })
    const hidden = await anAnswer(db, { question: kept, author: mina, votes: 2, isAccepted: true })
    for (const { id, question } of [masked, hidden])
      await within(db, setEndorsement, question.id, id, staff.id)

    for (const reader of [visitor(app), await signedIn(app, staff), await signedIn(app, mina)]) {
      const { body } = await reader.get(`/people/${mina.id}/mina`)
      assert.deepEqual(figuresOf(body), figures(0, 0))
      assert.doesNotMatch(body, /Top answer|Top tags|kept/)
    }
  })

  test('a profile opens with the answers of somebody who only answers, and has none to a deleted question', async () => {
    const { db, app } = forum
    const answer = await anAnswer(db, { body: 'Because of the proxy.' })
    const reader = visitor(app)

    const profile = await reader.follow(await reader.get(`/people/${answer.authorId}`))
    assert.match(profile.body, /Because of the proxy/)
    const questions = await reader.follow(await reader.get(`/people/${answer.authorId}?show=questions`))
    assert.match(questions.body, /No questions yet/)
    await within(db, deleteQuestion, answer.question.id)
    const answers = await reader.follow(await reader.get(`/people/${answer.authorId}?show=answers`))
    assert.match(answers.body, /No answers yet/)
  })

  test('posts, roles and numbers of a private course are for its members', async () => {
    const { db, app } = forum
    const elsewhere = await aCourse(db, { title: 'For everybody' })
    const course = await aCourse(db, { title: 'Behind doors', isPublic: false })
    const mina = await aMember(db, course, 'assistant', await aPerson(db, { displayName: 'Mina' }))
    await aMember(db, elsewhere, 'learner', mina)
    const question = await aQuestion(db, { course, author: mina, title: 'A private question' })
    await anAnswer(db, { question, author: mina, body: 'A private answer' })
    const member = await signedIn(app, await aMember(db, course))
    const stranger = await signedIn(app, await aPerson(db))
    const paths = [`/people/${mina.id}/mina?show=questions`, `/people/${mina.id}/mina?show=answers`]

    for (const path of paths) {
      assert.match((await member.get(path)).body, /Behind doors[\s\S]*A private/)
      for (const reader of [stranger, visitor(app)]) {
        const { body } = await reader.get(path)
        assert.match(body, /For everybody/)
        assert.doesNotMatch(body, /Behind doors|A private/)
        assert.deepEqual(figuresOf(body), figures(0, 0))
      }
    }
  })

  test('who is in private courses alone, or in none, is known to people who meet them there, and to admins', async () => {
    const { db, app } = forum
    const course = await aCourse(db, { isPublic: false })
    const inside = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Mina' }))
    const nowhere = await aPerson(db, { displayName: 'Jun' })
    const [member, admin] = [await aMember(db, course), await aPerson(db, { isAdmin: true })]
    const statusesFor = async (browser: Browser) => [
      (await browser.get(`/people/${inside.id}/mina`)).statusCode,
      (await browser.get(`/people/${nowhere.id}/jun`)).statusCode,
    ]

    for (const reader of [visitor(app), await signedIn(app, await aPerson(db))]) {
      assert.deepEqual(await statusesFor(reader), [404, 404])
      const nameless = await reader.get(`/people/${inside.id}`)
      assert.equal(nameless.statusCode, 404, 'nor where the name would lead')
    }
    for (const [person, statuses] of [
      [member, [200, 404]],
      [inside, [200, 404]],
      [nowhere, [404, 200]],
      [admin, [200, 200]],
    ] as const)
      assert.deepEqual(await statusesFor(await signedIn(app, person)), statuses)
  })

  test('an author of something readable is known, though they belong to no course any more', async () => {
    const { db, app } = forum
    const answer = await anAnswer(db)
    const [asker, reply] = [answer.question.authorId, await aReply(db, { answer })]
    await within(db, deleteQuestion, answer.question.id)
    await db.deleteFrom('course_members').execute()
    const reader = visitor(app)

    for (const id of [answer.authorId, reply.authorId]) {
      assert.equal((await reader.follow(await reader.get(`/people/${id}`))).statusCode, 200)
    }
    assert.equal((await reader.get(`/people/${asker}`)).statusCode, 404)
  })

  test('the number of questions beside a name is of the courses that the reader may read', async (t) => {
    const { db, app } = await aForum(t)
    const hidden = await aCourse(db, { isPublic: false })
    const mina = await aPerson(db)
    await aQuestion(db, { author: mina, title: 'A public question' })
    await aQuestion(db, { author: mina, course: hidden, title: 'A private question' })
    const member = await signedIn(app, await aMember(db, hidden))

    for (const reader of [visitor(app), await signedIn(app, await aPerson(db))])
      assert.match(textOf((await reader.get('/questions')).body), /1 question /)
    for (const path of ['/questions', `/courses/${hidden.slug}`])
      assert.match(textOf((await member.get(path)).body), /2 questions /, path)
  })

  test('a missing or wrong name leads to the right address for good', async () => {
    const { db, app } = forum
    const jisoo = await aPerson(db, { displayName: '박지수' })
    await aMember(db, await aCourse(db), 'learner', jisoo)
    const right = `/people/${jisoo.id}/${encodeURIComponent('박지수')}`
    const reader = visitor(app)

    for (const path of [`/people/${jisoo.id}`, `/people/${jisoo.id}/jisoo`]) {
      const answer = await reader.get(`${path}?show=answers`)
      assert.deepEqual([answer.statusCode, answer.headers.location], [301, `${right}?show=answers`])
    }
    assert.equal((await reader.get(right)).statusCode, 200)
  })

  test('there is no profile of nobody', async () => {
    const { app } = forum
    for (const id of ['999999', '0', '-1', 'mina', '1e3', '9'.repeat(30)]) {
      assert.equal((await visitor(app).get(`/people/${id}/mina`)).statusCode, 404, id)
    }
  })

  test('a long list of answers is read page by page, forth and back', async () => {
    const { db, app } = forum
    const question = await aQuestion(db)
    const mina = await aPerson(db, { displayName: 'Mina' })
    const about = { question, author: mina, writtenAt: new Date(1_700_000_000_000) }
    for (let number = 0; number < ANSWERS_PER_PAGE + 3; number += 1)
      await anAnswer(db, { ...about, body: `Answer number ${number}.` })
    const reader = visitor(app)

    const first = (await reader.get(`/people/${mina.id}/mina?show=answers`)).body
    const second = (await reader.get(relIn(first, 'next') ?? '')).body
    const again = (await reader.get(relIn(second, 'prev') ?? '')).body

    assert.equal(new Set([...answersOf(first), ...answersOf(second)]).size, ANSWERS_PER_PAGE + 3)
    assert.equal(answersOf(second).length, 3)
    assert.deepEqual(answersOf(again), answersOf(first))
  })

  test('a name is shown as it is, whatever it is made of', async () => {
    const { db, app } = forum
    const odd = await aPerson(db, { displayName: '<script>alert(1)</script>' })
    await aMember(db, await aCourse(db), 'learner', odd)

    const { body } = await visitor(app).get(`/people/${odd.id}/script-alert-1-script`)
    assert.match(body, /<h1[^>]*><bdi>&lt;script&gt;alert\(1\)&lt;\/script&gt;<\/bdi><\/h1>/)
  })

  test('someone who wrote very many posts is counted to the last one, of which a profile reads the newest', async () => {
    const { db, app } = forum
    const author = await aPerson(db, { displayName: 'Mina' })
    const [open, closed] = [await aCourse(db), await aCourse(db, { isPublic: false })]
    for (const course of [open, closed]) {
      const question = await aQuestion(db, { course })
      const answer = await anAnswer(db, { question, author, votes: 1, isAccepted: true })
      await sql`
      insert into answers (question_id, author_id, body, body_html, renderer_version, written_at, votes_count, endorsed_at, endorsed_by)
      select question_id, author_id, body, body_html, renderer_version, written_at - make_interval(hours => n), 1,
        case when n % 2 = 0 then written_at end, case when n % 2 = 0 then author_id end
      from answers, generate_series(1, 799) as n where id = ${answer.id}`.execute(db)
    }
    const [outside, inside] = [visitor(app), await signedIn(app, await aMember(db, closed, 'learner'))]
    const read = async (browser: Browser) => {
      const { body } = await browser.get(`/people/${author.id}/mina?show=answers`)
      const [, ...ofAnswers] = figuresOf(body)
      return ofAnswers.map((figure) => figure.replace(/^[^\d]+/, ''))
    }
    assert.equal((await read(outside))[0], '200', 'of the 400 newest, before the rest is counted')

    await countOlderPosts(db)
    assert.deepEqual(await read(outside), ['800', '1', '399', '800'])
    assert.deepEqual(await read(inside), ['1,600', '2', '798', '1,600'])
    await anAnswer(db, { author, question: await aQuestion(db, { course: open }) })
    assert.equal((await read(outside))[0], '801', 'what is new counts at once')

    const all = await rowsOf(db, 'answers', { author_id: author.id })
    const [oldest] = all.toSorted((one, other) => +one.written_at - +other.written_at)
    await within(db, deleteAnswer, 0, oldest?.id ?? 0)
    await countOlderPosts(db)
    const older = valuesOf(await rowsOf(db, 'course_authors', { person_id: author.id }), 'older_answers')
    assert.equal(
      older.reduce((one, other) => one + other, 0),
      1400,
    )
  })

  test('the newest 200 questions on a profile are always counted anew, however many private ones came between', async () => {
    const { db, app } = forum
    const author = await aPerson(db, { displayName: 'Mina' })
    const { id } = await aQuestion(db, { author })
    await sql`
    insert into questions (course_id, category_id, author_id, title, body, body_html, renderer_version, written_at, active_at, audience)
    select course_id, category_id, author_id, title, body, body_html, renderer_version, written_at - make_interval(hours => n),
      active_at, case when n <= 100 then 'staff' else audience end
    from questions, generate_series(1, 300) as n where id = ${id}`.execute(db)
    const reader = visitor(app)
    const count = async () =>
      figuresOf((await reader.get(`/people/${author.id}/mina?show=questions`)).body)[0]
    await countOlderPosts(db)
    assert.equal(await count(), 'Questions 201')

    const listed = db.selectFrom('questions').select('id').where('is_listed', '=', true)
    const amongNewest = await listed.orderBy('written_at', 'desc').offset(150).executeTakeFirstOrThrow()
    await within(db, deleteQuestion, amongNewest.id)
    assert.equal(await count(), 'Questions 200')
  })
})

/** The numbers of a profile, as it shows them. */
function figures(questions: number, answers: number, { accepted = 0, endorsed = 0, votes = 0 } = {}) {
  const written = [`Questions ${questions}`, `Answers ${answers}`]
  return [...written, `Accepted ${accepted}`, `Endorsed by staff ${endorsed}`, `Votes received ${votes}`]
}

function figuresOf(html: string): string[] {
  return [...html.matchAll(/<dt>([^<]+)<\/dt><dd>([^<]+)<\/dd>/g)].map(
    ([, name, value]) => `${name} ${value}`,
  )
}

function answersOf(html: string): string[] {
  return [...html.matchAll(/Answer number \d+\./g)].map(([text]) => text)
}
