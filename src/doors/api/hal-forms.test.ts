import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import { suspend } from '../../forum/cases/acts-on-people.ts'
import { visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { aProgram } from './testing.ts'

const FORMS = { accept: 'application/prs.hal-forms+json' }

interface Link {
  readonly href: string
}
interface Template {
  readonly method: string
  readonly target: string
  readonly contentType?: string
  readonly title: string
  readonly properties: readonly {
    readonly name: string
    readonly required: boolean
    readonly value?: unknown
    readonly type?: string
    readonly maxLength?: number
  }[]
}
interface Resource {
  readonly _links: Readonly<Record<string, Link>> & { readonly curies?: readonly Link[] }
  readonly _embedded?: { readonly item: readonly Resource[] } & Readonly<Record<string, Resource>>
  readonly _templates: Readonly<Record<string, Template>>
  readonly [field: string]: unknown
}

suite('application/prs.hal-forms+json', () => {
  const forum = sharedForum()

  /** A program that knows one address, and what links and forms are called. */
  function aWalker(token: string | null) {
    const program = aProgram(forum.app, token)
    const below = (url: string) => url.replace('http://localhost:3000/api/v1', '')
    const read = async (url: string) => {
      const answer = await program.get(below(url), FORMS)
      assert.match(String(answer.headers['content-type']), /^application\/prs\.hal-forms\+json/)
      return { resource: answer.json() as Resource, etag: String(answer.headers.etag) }
    }
    const follow = (resource: Resource, relation: string) =>
      read(resource._links[relation]?.href ?? assert.fail(relation))
    const send = ({ method, target, contentType }: Template, fields?: object, etag = '*') =>
      program.send(method as 'POST', below(target), fields, {
        ...FORMS,
        'if-match': etag,
        ...(contentType !== undefined && { 'content-type': contentType }),
      })
    return { read, follow, send }
  }

  test('who knows the first address asks, edits, votes and reads on by what the answers say', async () => {
    const course = await aCourse(forum.db, { lectures: ['One'] })
    const [learner, helper] = [await aMember(forum.db, course), await aMember(forum.db, course)]
    const { read, follow, send } = aWalker(await aToken(forum, learner, ['read', 'write']))
    const { resource: start } = await read('http://localhost:3000/api/v1')
    const { resource: courses } = await follow(start, 'handup:courses')
    const listed = courses._embedded?.item.find(({ slug }) => slug === course.slug) ?? assert.fail()
    const { resource: here } = await follow(listed, 'self')
    const asking = here._templates.createQuestion ?? assert.fail()
    assert.deepEqual(
      asking.properties.filter(({ required }) => required).map(({ name }) => name),
      ['title', 'body'],
    )
    assert.ok(!asking.properties.some(({ name }) => name === 'anonymous'))
    const asked = await send(asking, { title: 'What is level 3?', body: 'Tell me.', lecture: 1 })
    assert.equal(asked.statusCode, 201, asked.body)

    const { resource: question, etag } = await read(String(asked.headers.location))
    const editing = question._templates.default ?? assert.fail()
    assert.equal(editing.contentType, 'application/merge-patch+json')
    const values = Object.fromEntries(editing.properties.map(({ name, value }) => [name, value]))
    assert.deepEqual([values.title, values.lecture], ['What is level 3?', 1])
    const edited = await send(editing, { lecture: null }, etag)
    assert.deepEqual([edited.statusCode, edited.json().lecture], [200, null])

    const other = aWalker(await aToken(forum, helper, ['read', 'write']))
    const { resource: seen } = await other.follow(question, 'self')
    assert.ok(!('default' in seen._templates) && !('deleteQuestion' in seen._templates))
    const answered = await other.send(seen._templates.createAnswer ?? assert.fail(), { body: 'Links.' })
    await other.send(seen._templates.putQuestionVote ?? assert.fail())
    const { resource: voted } = await other.follow(question, 'self')
    assert.ok(!('putQuestionVote' in voted._templates) && 'deleteQuestionVote' in voted._templates)
    const { resource: answer } = await read(String(answered.headers.location))
    assert.equal((await send(answer._templates.putAcceptance ?? assert.fail())).statusCode, 204)
    const { resource: accepted } = await follow(answer, 'self')
    assert.ok(!('putAcceptance' in accepted._templates) && 'deleteAcceptance' in accepted._templates)
    const { resource: all } = await read(`${question._links.self?.href}?include=answers`)
    assert.deepEqual(
      all._embedded?.['handup:answers']?._embedded?.item.map(({ body }) => body),
      ['Links.'],
    )
  })

  test('only what would be done now is offered: by role, by scope, by state', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const [staff, learner, suspended] = [
      await aMember(db, course, 'instructor'),
      await aMember(db, course),
      await aMember(db, course),
    ]
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question, author: staff })
    const reply = await aReply(db, { answer, author: learner })
    const there = { personId: suspended.id, courseId: course.id, until: null, note: 'Spam' }
    await within(db, suspend, staff.id, there)
    const offered = async (token: string | null, path: string) => {
      const { resource } = await aWalker(token).read(path)
      return Object.keys(resource._templates).sort()
    }
    const [asked, answered, replied] = [
      `/questions/${question.id}`,
      `/answers/${answer.id}`,
      `/replies/${reply.id}`,
    ]
    const token = await aToken(forum, learner, ['read', 'write'])
    assert.deepEqual(await offered(token, asked), [
      'createAnswer',
      'deleteFollowing',
      'putQuestionVote',
      'replyToQuestion',
    ])
    assert.deepEqual(await offered(token, answered), ['putAnswerVote', 'replyToAnswer'])
    assert.deepEqual(await offered(token, replied), ['default', 'deleteReply'])
    const all = await aToken(forum, staff, ['read', 'write', 'staff'])
    const byStaff = await offered(all, asked)
    for (const name of ['default', 'deleteQuestion', 'putPin', 'putClosing', 'moveQuestion', 'putResolution'])
      assert.ok(byStaff.includes(name), name)
    for (const name of ['deletePin', 'deleteClosing', 'deleteResolution', 'putReleaseQuestion'])
      assert.ok(!byStaff.includes(name), name)
    assert.ok(!(await offered(all, answered)).includes('putEndorsement'))
    for (const none of [
      null,
      await aToken(forum, staff, ['read', 'staff']),
      await aToken(forum, suspended, ['read', 'write']),
    ])
      for (const path of [asked, answered, `/courses/${course.slug}`])
        assert.deepEqual(await offered(none, path), [], path)
    await setRows(db, 'questions', question.id, { answers_closed_at: new Date(), closing_reason: 'heated' })
    assert.ok(!(await offered(token, asked)).includes('createAnswer'))
    assert.ok(!(await offered(token, asked)).includes('replyToQuestion'))
    assert.ok((await offered(all, asked)).includes('createAnswer'))
    await setRows(db, 'courses', course.id, { archived_at: new Date() })
    assert.deepEqual(await offered(token, `/courses/${course.slug}/questions`), [])
    assert.deepEqual(await offered(token, replied), [])
  })

  test('its relations are registered or lead to their description; application/hal+json is the body and links, as before', async () => {
    const question = await aQuestion(forum.db, { answers: 1 })
    const program = aProgram(forum.app, await aToken(forum, await aPerson(forum.db), ['read', 'write']))
    const page = (await visitor(forum.app).get('/api')).body
    for (const path of ['', '/courses', `/questions/${question.id}`, `/people/${question.authorId}`, '/me']) {
      const plain = (await program.get(path)).json()
      const answer = await program.get(path, { accept: 'application/hal+json' })
      assert.match(String(answer.headers['content-type']), /^application\/hal\+json/)
      const hal = answer.json()
      const body = JSON.parse(JSON.stringify(hal, (name, value) => (name === '_links' ? undefined : value)))
      assert.deepEqual(body, plain, path)
      assert.equal(hal._links.self.href, `http://localhost:3000/api/v1${path}`)
      const { _links: named, _embedded, _templates, ...rest } = (await program.get(path, FORMS)).json()
      if (_embedded === undefined) assert.deepEqual(rest, plain, path)
      assert.equal(typeof _templates, 'object')
      for (const relation of Object.keys(named)) {
        const own = /^handup:(\w+)$/.exec(relation)?.[1]
        if (own !== undefined) assert.match(page, new RegExp(`id="relation-${own}"`), relation)
        else
          assert.ok(
            ['self', 'next', 'author', 'describedby', 'help', 'alternate', 'curies'].includes(relation),
            relation,
          )
      }
      if (Object.keys(named).some((name) => name.startsWith('handup:')))
        assert.deepEqual(named.curies, [
          { name: 'handup', href: 'http://localhost:3000/api#relation-{rel}', templated: true },
        ])
    }
    assert.equal(
      (await program.get('/courses', { accept: '*/*' })).headers['content-type'],
      'application/json; charset=utf-8',
    )
  })
})
