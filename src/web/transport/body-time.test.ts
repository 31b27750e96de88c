import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { atEnd } from '../../testing/at-end.ts'
import { allowTime, Front } from './front.ts'

test('a body that doesn’t come in time is ended, unless its route lets it take longer', async (t) => {
  const server = new Front().serverFactory(
    async (request, response: ServerResponse) => {
      if (request.url === '/large') allowTime(request)
      response.end(await text(request).catch(() => 'broken off'))
    },
    { requestTimeout: 300, keepAliveTimeout: 1000, connectionTimeout: 0 } as never,
  )
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    socket.end(`HTTP/1.1 408 ${error.code}\r\n\r\n`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(t, () => new Promise<void>((resolve) => void server.close(() => resolve())))
  const begun = (path: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 4\r\n\r\nha`)
    return { socket, answer: text(socket) }
  }
  const large = begun('/large')
  assert.match(await begun('/small').answer, /^HTTP\/1\.1 408 ERR_HTTP_REQUEST_TIMEOUT/)
  large.socket.write('lf')
  assert.match(await large.answer, /^HTTP\/1\.1 200 .*half$/s)
})
