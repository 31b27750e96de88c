import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { agentsOn } from '../../accounts/apps/testing.ts'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { testAppThatLogs } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { aHearingForum, sharedForum } from '../../testing/forum.ts'
import { setRows } from '../../testing/rows.ts'
import { anAgent, META, PROTOCOL } from './testing.ts'

const ORIGIN = 'https://assistant.example'
const METADATA = 'resource_metadata="http://localhost:3000/.well-known/oauth-protected-resource/mcp"'

suite('the door for agents', () => {
  const forum = sharedForum({ mcpOrigins: [ORIGIN] })
  let networks = 0
  /** Of a network of its own, as its calls are counted. */
  const agent = async (token: string | null = null, url = '/mcp') => {
    await agentsOn(forum.db)
    networks += 1
    return anAgent(forum.app, { token, url, remoteAddress: `10.1.0.${networks}` })
  }

  test('says what it is and can do, in one order, to whoever asks', async () => {
    const { ask } = await agent()
    const discovered = (await ask('server/discover')).json().result
    assert.deepEqual(discovered.supportedVersions, [PROTOCOL])
    assert.deepEqual(discovered.capabilities, { tools: { listChanged: false } })
    assert.match(discovered.instructions, /never an instruction/)
    const { tools, ttlMs, cacheScope } = (await ask('tools/list')).json().result
    assert.deepEqual(
      tools.map(({ name }: { name: string }) => name),
      ['search_questions', 'read_question', 'similar_questions', 'list_waiting', 'draft_answer'],
    )
    assert.ok(ttlMs > 0)
    assert.equal(cacheScope, 'public')
    for (const { name, annotations, title, description } of tools) {
      const isDraft = name === 'draft_answer'
      assert.deepEqual([annotations.readOnlyHint, annotations.destructiveHint], [!isDraft, isDraft], name)
      assert.ok(title.length > 0 && description.length > 20, name)
    }
    const known = await agent(await aToken(forum, await aPerson(forum.db)))
    const listed = (await known.ask('tools/list')).json().result
    assert.deepEqual([listed.tools, listed.cacheScope], [tools, 'private'])
  })

  test('answers clients of the revisions before, too', async () => {
    const { send } = await agent()
    const client = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    const begun = await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: client })
    assert.equal(begun.statusCode, 200)
    assert.match(begun.body, /"protocolVersion":"2025-11-25"/)
    assert.equal((await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).statusCode, 202)
    assert.match((await send({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).body, /"search_questions"/)
  })

  test('asks for a token where a person is needed, and from the first request where the address says so', async () => {
    const { send, call } = await agent()
    const draft = await call('draft_answer', { question: 1, body: 'Mine' })
    assert.equal(draft.status, 401)
    assert.equal(draft.headers['www-authenticate'], `Bearer ${METADATA}, scope="read draft"`)
    const waiting = await call('list_waiting', { course: 'x' })
    assert.equal(waiting.headers['www-authenticate'], `Bearer ${METADATA}, scope="read waiting"`)
    assert.equal((await call('search_questions', { query: 'x' })).status, 200)
    const hosted = await agent(null, '/mcp?sign-in=1')
    for (const message of ['', { jsonrpc: '2.0', id: 1, method: 'server/discover' }]) {
      const first = await hosted.send(message)
      assert.equal(first.statusCode, 401)
      assert.equal(first.headers['www-authenticate'], `Bearer ${METADATA}, scope="read draft waiting"`)
    }
    const known = await agent(await aToken(forum, await aPerson(forum.db)), '/mcp?sign-in=1')
    assert.equal((await known.ask('tools/list')).statusCode, 200)
    assert.equal((await send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: 7 })).statusCode, 400)
  })

  test('refuses what is no token, and what a token does not let it do', async () => {
    for (const token of ['nonsense', `handup_${'x'.repeat(36)}`]) {
      const { headers, statusCode } = await (await agent(token)).ask('tools/list')
      assert.equal(statusCode, 401)
      assert.equal(
        headers['www-authenticate'],
        `Bearer error="invalid_token", ${METADATA}, scope="read draft waiting"`,
      )
    }
    const reader = await agent(await aToken(forum, await aPerson(forum.db), ['read']))
    const draft = await reader.call('draft_answer', { question: 1, body: 'Mine' })
    assert.equal(draft.status, 403)
    assert.equal(
      draft.headers['www-authenticate'],
      `Bearer error="insufficient_scope", ${METADATA}, scope="read draft"`,
    )
    const writer = await agent(await aToken(forum, await aPerson(forum.db), ['write']))
    assert.equal((await writer.call('search_questions', { query: 'x' })).status, 403)
  })

  test('takes no cookie for a token: a session gives nothing', async () => {
    const course = await aCourse(forum.db, { isPublic: false })
    const question = await aQuestion(forum.db, { course })
    const staff = await aMember(forum.db, course, 'instructor')
    const { db } = forum
    await agentsOn(db)
    const browser = await signedIn(forum.app, staff)
    const message = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'list_waiting', arguments: { course: course.slug } },
    }
    const sent = await browser.post(
      '/mcp',
      {},
      {
        ...{ raw: JSON.stringify(message), contentType: 'application/json', token: '' },
        headers: { accept: 'application/json, text/event-stream' },
      },
    )
    assert.equal(sent.statusCode, 401)
    assert.equal(sent.headers['set-cookie'], undefined)
    const { call } = await agent(await aToken(forum, staff))
    assert.equal((await call('read_question', { id: question.id })).isError, false)
  })

  test('is not there while agents are off, and closed again at once', async (t) => {
    const { app, db, changes } = await aHearingForum(t)
    const { ask } = anAgent(app)
    assert.equal((await ask('tools/list')).statusCode, 404)
    await agentsOn(db)
    await changes.caughtUp()
    assert.equal((await ask('tools/list')).statusCode, 200)
    await setRows(db, 'site_settings', {}, { agents: 'off' })
    await changes.caughtUp()
    for (const method of ['POST', 'GET', 'DELETE', 'OPTIONS'] as const)
      assert.equal((await app.inject({ method, url: '/mcp?sign-in=1' })).statusCode, 404, method)
  })

  test('is for POST alone', async () => {
    await agentsOn(forum.db)
    for (const method of ['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH'] as const) {
      const { statusCode, headers } = await forum.app.inject({ method, url: '/mcp' })
      assert.deepEqual([statusCode, headers.allow], [405, 'POST, OPTIONS'], method)
    }
  })

  test('knows its own name and its own pages, and those of sites that the operator named', async () => {
    const { send } = await agent()
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } }
    const modern = { 'mcp-protocol-version': PROTOCOL, 'mcp-method': 'tools/list' }
    for (const [headers, status] of [
      [{ host: 'localhost:3000' }, 200],
      [{ host: 'LOCALHOST' }, 200],
      [{ host: 'evil.example' }, 403],
      [{ host: 'localhost.evil.example' }, 403],
      [{ origin: 'http://localhost:3000' }, 200],
      [{ origin: ORIGIN }, 200],
      [{ origin: 'http://localhost:4000' }, 403],
      [{ origin: `${ORIGIN}.evil.example` }, 403],
      [{ origin: 'null' }, 403],
    ] as const) {
      const answer = await send(list, { ...modern, ...headers })
      assert.equal(answer.statusCode, status, JSON.stringify(headers))
      const allowed = 'origin' in headers && status === 200 ? headers.origin : undefined
      assert.equal(answer.headers['access-control-allow-origin'], allowed)
    }
    const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' }
    const preflight = await forum.app.inject({ method: 'OPTIONS', url: '/mcp', headers })
    assert.equal(preflight.statusCode, 204)
    assert.match(
      String(preflight.headers['access-control-allow-headers']),
      /Authorization.*MCP-Protocol-Version/,
    )
    assert.equal(preflight.headers['access-control-allow-credentials'], undefined)
    const elsewhere = await forum.app.inject({
      ...{ method: 'OPTIONS', url: '/mcp' },
      headers: { ...headers, origin: 'https://evil.example' },
    })
    assert.equal(elsewhere.statusCode, 403)
  })

  test('answers junk with an error of JSON-RPC, never with a failure of ours', async () => {
    const { send } = await agent()
    const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    const call = (given: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${given}}`
    for (const [body, status] of [
      ['', 400],
      ['{', 400],
      ['null', 400],
      ['"tools/list"', 400],
      ['[]', 400],
      ['[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', 400],
      [deep(150_000), 400],
      [call(`{"name":"search_questions","arguments":${deep(150_000)}}`), 400],
      [call(`{"name":"search_questions","arguments":{"query":"${'x'.repeat(500_000)}"}}`), 413],
      [`{"jsonrpc":"2.0","id":"${'x'.repeat(5000)}","method":"tools/list"}`, 400],
      ['{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}', 404],
      ['{"id":1,"method":"tools/list"}', 400],
      ['{"__proto__":{"method":"tools/list"},"jsonrpc":"2.0","id":1}', 400],
    ] as const) {
      const { statusCode, body: answer } = await send(body)
      assert.equal(statusCode, status, `${body.slice(0, 80)}: ${answer}`)
      assert.equal(typeof JSON.parse(answer).error.code, 'number')
    }
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      '',
    ]) {
      const { statusCode, body } = await send(list, { 'content-type': type })
      assert.equal(statusCode, 415, type)
      assert.ok(JSON.parse(body).error)
    }
    const bytes = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/list","x":"\xff"}', 'latin1')
    assert.equal((await send(bytes)).statusCode, 400)
  })

  test('repeats no long part of a message that is wrong', async () => {
    const { send, ask } = await agent()
    const long = 'x'.repeat(200_000)
    const wrong = { query: 'x', [long]: 1 }
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, number) => [`name${number}`, 1]))
    const call = (params: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    for (const { statusCode, body } of [
      await ask('tools/call', { name: 'search_questions', arguments: wrong }),
      await send(call({ name: 'search_questions', arguments: wrong })),
      await send(call({ name: 'search_questions', arguments: many })),
      await send(call({ name: long, arguments: {} })),
      await send({ jsonrpc: '2.0', id: 1, method: long, params: {} }),
    ]) {
      assert.ok(Buffer.byteLength(body) < 64 * 1024, `${Buffer.byteLength(body)} bytes`)
      assert.ok(statusCode < 500)
    }
  })

  test('tells an agent what it asked wrongly as the result of the tool', async () => {
    const { call, ask } = await agent()
    for (const [name, given] of [
      ['search_questions', {}],
      ['search_questions', { query: '' }],
      ['search_questions', { query: 7 }],
      ['search_questions', { query: 'x', page: 2 }],
      ['search_questions', { query: 'x', course: 'no-such-course' }],
      ['read_question', { id: 0 }],
      ['read_question', { id: 1.5 }],
      ['read_question', { id: 999_999_999_999 }],
      ['similar_questions', { title: 'x' }],
    ] as const) {
      const { status, isError, text } = await call(name, given)
      assert.deepEqual([status, isError], [200, true], `${name} ${JSON.stringify(given)}: ${text}`)
      assert.ok(text.length > 10)
    }
    const unknown = await ask('tools/call', { name: 'post_answer', arguments: {} })
    assert.equal(unknown.json().error.code, -32602)
  })

  test('counts the calls of an account, of a course and of a network', async () => {
    const person = await aPerson(forum.db)
    const [one, other] = [await agent(await aToken(forum, person)), await agent(await aToken(forum, person))]
    const visitor = await agent()
    const course = await aCourse(forum.db)
    const ofCourse = await agent(await aCourseToken(forum, course))
    const left = async (asking: typeof one, max: number) => {
      for (let count = 0; count < max; count += 1)
        assert.equal((await asking.send('[]')).statusCode, 400, `call ${count}`)
      const refused = await asking.ask('tools/list')
      assert.equal(refused.statusCode, 429)
      assert.ok(Number(refused.headers['retry-after']) > 0)
    }
    assert.equal((await other.send('[]')).statusCode, 400)
    await left(one, LIMITS.agents.account.max - 1)
    await left(visitor, LIMITS.agents.address.max)
    assert.equal((await ofCourse.send('[]')).statusCode, 400)
  })

  test('notes each call in the log, with its account and what came of it', async (t) => {
    const { db } = forum
    const { app, lines } = await testAppThatLogs(t, db)
    await agentsOn(db)
    const person = await aPerson(db)
    const known = anAgent(app, { token: await aToken(forum, person) })
    await known.call('search_questions', { query: 'zyx' })
    await known.call('read_question', { id: 999_999 })
    await known.call('read_question', { id: 'wrong' })
    await anAgent(app).call('search_questions', { query: 'zyx' })
    const noted = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'agent-called')
    assert.deepEqual(
      noted.map(({ tool, outcome, personId }) => [tool, outcome, personId ?? null]),
      [
        ['search-questions', 'done', person.id],
        ['read-question', 'refused', person.id],
        ['read-question', 'refused', person.id],
        ['search-questions', 'done', null],
      ],
    )
  })
})
