import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { setRows } from '../../testing/rows.ts'
import type { Endpoint } from '../../web/json/endpoint.ts'
import { schemaOfField } from '../../web/json/field-schema.ts'
import { ENDPOINTS } from './endpoints.ts'
import { openApi } from './openapi.ts'
import { aProgram } from './testing.ts'

/** More levels than a recursive reader or writer has stack for. */
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`

const isJson = ({ method, body }: Endpoint) => method !== 'GET' && body?.hasFile !== true
const errorsOf = (answer: {
  json(): { errors: readonly { pointer?: string; parameter?: string; code: string }[] }
}) => answer.json().errors.map(({ pointer, parameter, code }) => [pointer ?? parameter, code])

suite('requests of programs are closed', () => {
  const forum = sharedForum()

  async function aClass() {
    forum.app.apiRequests.count = () => ({ count: 1, ttl: 1000 })
    const course = await aCourse(forum.db, { lectures: ['One'] })
    await setRows(forum.db, 'courses', course.id, { allows_anonymous: true })
    const [staff, learner] = [await aMember(forum.db, course, 'instructor'), await aMember(forum.db, course)]
    const question = await aQuestion(forum.db, { course, author: learner })
    const program = aProgram(forum.app, await aToken(forum, learner, ['read', 'write']))
    const all = aProgram(forum.app, await aToken(forum, staff, ['read', 'write', 'staff']))
    const at = ({ path }: Pick<Endpoint, 'path'>) =>
      path.replace(':id', String(question.id)).replace(':course', course.slug)
    return { course, question, program, all, at }
  }

  test('every endpoint refuses a member that it does not have, and one that comes twice, by its pointer', async () => {
    const { all, at } = await aClass()
    for (const endpoint of ENDPOINTS.filter(isJson)) {
      const where = `${endpoint.method} ${endpoint.path}`
      const send = (body: string) => all.send(endpoint.method, at(endpoint), body, { 'if-match': '*' })
      for (const [body, pointers] of [
        ['{"surprise": 1, "a/b~": 2}', ['/surprise', '/a~1b~0']],
        ['{"__proto__": null}', ['/__proto__']],
        ['{"body": "\\"a\\": {", "tags": [{"body": 1}], "\\u0062ody": "b"}', ['/body']],
      ] as const) {
        const refused = await send(body)
        assert.deepEqual([refused.statusCode, refused.json().code], [422, 'unknown_member'], where)
        assert.deepEqual(
          errorsOf(refused),
          pointers.map((pointer) => [pointer, 'unknown_member']),
          where,
        )
      }
      for (const body of ['[]', '"text"', '{']) assert.equal((await send(body)).statusCode, 400, where)
    }
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`m${at}`, 1]))
    const long = await all.send('PUT', '/questions/1/vote', many)
    assert.deepEqual([long.statusCode, long.json().errors.length], [422, 20])
  })

  test('every endpoint refuses a parameter that it does not have, and one that comes twice or is no text, also where answers are cached', async () => {
    const { all, at } = await aClass()
    const visitor = aProgram(forum.app)
    for (const endpoint of ENDPOINTS) {
      const { method, path, query, isPublic } = endpoint
      const [one = 'other'] = Object.keys(query?.shape ?? {})
      const body = isJson(endpoint) && method !== 'GET' ? '{}' : undefined
      const junk = query === null ? [] : [`${one}=%00`, `${one}=1%00`]
      for (const search of ['utm_source=letter', `${one}=1&${one}=1`, '=1', ...junk])
        for (const program of isPublic ? [visitor, visitor, all] : [all]) {
          const refused = await program.send(method, `${at(endpoint)}?${search}`, body, { 'if-match': '*' })
          const where = `${method} ${path}?${search}: ${refused.body}`
          assert.deepEqual([refused.statusCode, refused.json().code], [400, 'invalid_parameter'], where)
          assert.equal(refused.json().errors[0].parameter, search.split('=')[0], where)
        }
    }
    assert.equal((await forum.app.inject('/api/v1/openapi.json?x=1')).statusCode, 400)
    assert.equal((await visitor.get('/courses?limit=')).statusCode, 200)
  })

  test('the document says so', () => {
    const { paths } = openApi('https://forum.example') as unknown as {
      readonly paths: Readonly<
        Record<string, Readonly<Record<string, { readonly requestBody?: { readonly content: object } }>>>
      >
    }
    const bodies = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {})),
    )
    const objects = bodies.filter(({ schema }) => schema.type === 'object')
    assert.ok(objects.length > 12)
    for (const { schema } of objects) assert.equal(schema.additionalProperties, false)
    const asked = Object.keys(objects[0]?.schema.properties ?? {})
    for (const name of ['audience', 'anonymous', 'is_anonymous']) assert.ok(asked.includes(name), name)
  })

  test('every endpoint takes the types that the document gives a field, and no others', async () => {
    const { all, at } = await aClass()
    const values: readonly (readonly [string, unknown])[] = [
      ['null', null],
      ['boolean', true],
      ['integer', 7],
      ['number', 7.5],
      ['string', '2026-12-01'],
      ['array', ['hide']],
      ['numbers', [1]],
      ['object', {}],
    ]
    let tried = 0
    for (const endpoint of ENDPOINTS.filter(isJson))
      for (const [name, field] of Object.entries(endpoint.body?.fields ?? {})) {
        const schema = schemaOfField(field, endpoint.body?.required.includes(name) ?? false)
        const types = [schema.type ?? assert.fail(`${endpoint.path}: ${name} has no type`)].flat()
        for (const [type, value] of values.filter(([type]) => !types.includes(type))) {
          const refused = await all.send(
            endpoint.method,
            at(endpoint),
            { [name]: value },
            { 'if-match': '*' },
          )
          const where = `${endpoint.method} ${endpoint.path} ${name}: ${type}`
          assert.deepEqual([refused.statusCode, errorsOf(refused)], [422, [[`/${name}`, 'invalid']]], where)
          tried += 1
        }
      }
    assert.ok(tried > 100)
  })

  test('null clears what it is taken for, and the earlier name is told as deprecated, without an end', async () => {
    const { program, course, question, all } = await aClass()
    const path = `/courses/${course.slug}/questions`
    const post = { title: 'With all', body: 'Of it.', tags: ['http'], lecture: 1 }
    const { id } = (await program.send('POST', path, post)).json()
    const cleared = await program.send(
      'PATCH',
      `/questions/${id}`,
      { lecture: null, tags: null },
      { 'if-match': '*' },
    )
    assert.deepEqual(
      [cleared.json().lecture, cleared.json().tags, cleared.json().title],
      [null, [], 'With all'],
    )
    for (const sent of [{}, { assignee: null }])
      assert.equal((await all.send('PUT', `/questions/${question.id}/assignment`, sent)).statusCode, 204)
    const desk = (await all.get(`/courses/${course.slug}/desk?view=all`)).json()
    assert.ok(desk.items.every((item: { assignee: unknown }) => item.assignee === null))
    for (const [name, deprecation] of [
      ['is_anonymous', undefined],
      ['anonymous', '@1795910400'],
    ] as const)
      for (const value of [true, 'perhaps']) {
        const { headers } = await program.send('POST', path, { ...post, [name]: value })
        assert.equal(headers.deprecation, deprecation)
        assert.equal(headers.sunset, undefined)
        assert.equal(/rel="deprecation"/.test(String(headers.link)), deprecation !== undefined)
      }
  })

  test('JSON of any depth is answered, with a key and without, wherever it stands', async () => {
    const { all, at } = await aClass()
    for (const endpoint of ENDPOINTS.filter(isJson)) {
      const names = Object.keys(endpoint.body?.fields ?? {})
      for (const sent of [DEEP, ...names.map((name) => `{"${name}": ${DEEP}}`)])
        for (const key of [{}, { 'idempotency-key': 'deep' }]) {
          const headers = { 'if-match': '*', ...key }
          const answer = await all.send(endpoint.method, at(endpoint), sent, headers)
          assert.ok(answer.statusCode < 500, `${endpoint.method} ${endpoint.path}: ${answer.body}`)
        }
    }
  })

  test('a key is of the bytes that came: what only reads alike is another request', async () => {
    const { program, course } = await aClass()
    const send = (body: string) =>
      program.send('POST', `/courses/${course.slug}/questions`, body, { 'idempotency-key': 'bytes' })
    const body = '{"title": "What is a byte?", "body": "Eight bits."}'
    const first = await send(body)
    assert.equal(first.statusCode, 201)
    assert.equal((await send(body)).json().id, first.json().id)
    assert.deepEqual((await send(`${body} `)).json().code, 'key_reused')
  })

  test('a name is hidden under both of its names, and refused under that which was sent', async () => {
    const { program, course, question } = await aClass()
    const post = { title: 'Who am I?', body: 'Nobody.' }
    const places = [
      [`/courses/${course.slug}/questions`, post],
      [`/questions/${question.id}/answers`, { body: 'An answer.' }],
      [`/questions/${question.id}/replies`, { body: 'A reply.' }],
    ] as const
    for (const [path, fields] of places) {
      for (const named of [
        { is_anonymous: true },
        { anonymous: true },
        { anonymous: true, is_anonymous: true },
        { anonymous: null, is_anonymous: null },
        { is_anonymous: false },
      ]) {
        const posted = await program.send('POST', path, { ...fields, ...named })
        const wished = Object.values(named).some((value) => value === true)
        assert.equal(posted.json().is_anonymous, wished, JSON.stringify(named))
      }
      for (const named of [
        { anonymous: true, is_anonymous: false },
        { anonymous: null, is_anonymous: true },
      ]) {
        const refused = await program.send('POST', path, { ...fields, ...named })
        assert.equal(refused.statusCode, 422)
        assert.deepEqual(errorsOf(refused), [['/is_anonymous', 'two_names']])
      }
      const wrong = await program.send('POST', path, { ...fields, is_anonymous: 'perhaps' })
      assert.deepEqual([wrong.statusCode, errorsOf(wrong)], [422, [['/is_anonymous', 'invalid']]])
    }
  })

  test('an edit takes both as they are answered: the name within its minutes, and who reads a question', async () => {
    const { program, course, question, all } = await aClass()
    const any = { 'if-match': '*' }
    const asked = (
      await program.send('POST', `/courses/${course.slug}/questions`, { title: 'One', body: '1' })
    ).json()
    const path = `/questions/${asked.id}`
    const hidden = await program.send('PATCH', path, { is_anonymous: true }, any)
    assert.deepEqual([hidden.statusCode, hidden.json().is_anonymous, hidden.json().version], [200, true, 2])
    const kept = await program.send('PATCH', path, { audience: 'staff' }, any)
    assert.deepEqual([kept.statusCode, kept.json().audience, kept.json().version], [200, 'staff', 2])
    assert.equal((await aProgram(forum.app).get(path)).statusCode, 404)
    assert.equal((await all.send('PATCH', path, { audience: 'course' }, any)).statusCode, 403)
    const opened = await program.send('PATCH', path, { audience: 'course', title: 'Two' }, any)
    assert.deepEqual(
      [opened.json().audience, opened.json().title, opened.json().version],
      ['course', 'Two', 3],
    )
    assert.equal((await program.send('PATCH', path, { audience: 'all' }, any)).statusCode, 422)
    const answer = await anAnswer(forum.db, { question })
    const unknown = await all.send('PATCH', `/answers/${answer.id}`, { audience: 'staff' }, any)
    assert.deepEqual(errorsOf(unknown), [['/audience', 'unknown_member']])
  })
})
