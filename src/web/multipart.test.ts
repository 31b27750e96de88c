import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import fastify from 'fastify'
import { UPLOADS_AT_ONCE } from '../kernel/limits.ts'
import { Problem } from '../kernel/problem.ts'
import type { Person } from '../kernel/rights/person.ts'
import { atEnd } from '../testing/at-end.ts'
import { multipartForm } from '../testing/multipart.ts'
import { until } from '../testing/waiting.ts'
import { statusOf } from './errors.ts'
import { registerMultipart } from './multipart.ts'

const FILE_BYTES = 1024 * 1024

/** A server that takes forms with files of people, named by a header, and of visitors; `hold` keeps it from answering. */
async function aServer(t: TestContext, pace = 60_000) {
  const app = fastify({ forceCloseConnections: true })
  const seen = { atOnce: 0, most: 0, reached: 0, files: [] as (number | null)[] }
  const answering = Promise.withResolvers<void>()
  let isHeld = false
  app.decorateRequest('person', null)
  app.addHook('onRequest', async (request) => {
    const id = Number(request.headers['x-person'] ?? 0)
    if (id > 0) request.person = { id } as Person
    seen.reached += 1
  })
  app.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof Problem ? statusOf(error) : 500).send(String(error)),
  )
  await app.register(async (scope) => {
    await registerMultipart(scope, { file: FILE_BYTES, pace })
    scope.post('/', async (request) => {
      seen.atOnce += 1
      seen.most = Math.max(seen.most, seen.atOnce)
      seen.files.push(request.upload?.bytes.length ?? null)
      if (isHeld) await answering.promise
      seen.atOnce -= 1
      return request.body
    })
  })
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  atEnd(t, async () => app.close())
  const open: Socket[] = []
  atEnd(t, async () => open.forEach((socket) => void socket.destroy()))
  /** @param part of the form that is sent; the rest never comes */
  const send = (personId: number, part = 1) => {
    const { raw, contentType } = multipartForm(
      { body: 'Typed' },
      { bytes: Buffer.alloc(FILE_BYTES / 4), filename: 'a.png', type: 'image/png' },
    )
    const socket = connect({ host: '127.0.0.1', port })
    open.push(socket)
    const answer = { text: '', isOver: false }
    socket.on('error', () => undefined)
    socket.on('close', () => {
      answer.isOver = true
    })
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer.text += text
    })
    const head = `POST / HTTP/1.1\r\nhost: a\r\nx-person: ${personId}\r\ncontent-type: ${contentType}\r\ncontent-length: ${raw.length}\r\n\r\n`
    socket.write(Buffer.concat([Buffer.from(head), raw.subarray(0, raw.length * part)]))
    return answer
  }
  const hold = () => {
    isHeld = true
    return () => {
      isHeld = false
      answering.resolve()
    }
  }
  return { send, seen, hold }
}

const taken = (answers: readonly { text: string }[]) =>
  answers.filter(({ text }) => text.startsWith('HTTP/1.1 200')).length

suite('forms with files', () => {
  test('sent by many at once wait for their turn: none is refused, and of one network few are in memory', async (t) => {
    const { send, seen, hold } = await aServer(t)
    const letGo = hold()
    const answers = Array.from({ length: 12 }, (_, index) => send(index + 1))
    await until('all have come', () => seen.reached === 12 && seen.atOnce === UPLOADS_AT_ONCE.ofNetwork)
    letGo()
    await until('all are taken', () => taken(answers) === 12)
    assert.equal(seen.most, UPLOADS_AT_ONCE.ofNetwork)
    assert.deepEqual(new Set(seen.files), new Set([FILE_BYTES / 4]))
  })

  test('of one person take few turns, so that others of their network have some', async (t) => {
    const { send, seen, hold } = await aServer(t)
    const letGo = hold()
    for (let count = 0; count < 10; count += 1) send(1)
    await until('they have come', () => seen.reached === 10 && seen.atOnce === UPLOADS_AT_ONCE.ofPerson)
    send(2)
    await until('the other is read', () => seen.atOnce === UPLOADS_AT_ONCE.ofPerson + 1)
    letGo()
  })

  test('of visitors bring their text alone, and those that never end keep nobody waiting', async (t) => {
    const { send, seen } = await aServer(t)
    const visitor = send(0)
    await until('a visitor is served', () => taken([visitor]) === 1)
    assert.match(visitor.text, /"body":"Typed"/)
    for (let count = 0; count < 20; count += 1) send(0, 0.5)
    await until('the others have come', () => seen.reached === 21)
    const answer = send(1)
    await until('a person is served', () => taken([answer]) === 1)
    assert.deepEqual(seen.files, [null, FILE_BYTES / 4])
  })

  test('that stop in the middle are cut off, and their turns are for others', async (t) => {
    const { send } = await aServer(t, 50)
    const stalled = Array.from({ length: UPLOADS_AT_ONCE.ofNetwork + 2 }, (_, index) => send(index + 1, 0.5))
    await until('they are cut off', () => stalled.every(({ isOver }) => isOver))
    for (const { text } of stalled) assert.match(text, /^HTTP\/1.1 408 /)
    const answer = send(1)
    await until('the next is taken', () => taken([answer]) === 1)
  })
})
