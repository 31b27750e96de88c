import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { atEnd, type Ending } from '../testing/at-end.ts'

/**
 * A proxy before several forums that tries another one where that is safe, as nginx does by default: whatever was asked when
 * nobody took the connection, and what changes nothing also when the answer did not come.
 * @returns its address
 */
export async function startBalancer(end: Ending, forums: readonly string[]): Promise<string> {
  let turn = 0
  const server = createServer(async (asked, reply) => {
    const body = await buffer(asked).catch(() => null)
    if (body === null) return
    turn += 1
    const order = forums.map((_forum, index) => forums[(turn + index) % forums.length] ?? '')
    const failures: string[] = []
    for (const forum of order) {
      const failure = await forward(forum, asked, body, reply)
      if (failure === null) return
      failures.push(failure)
    }
    reply.writeHead(502).end(`nobody answers: ${failures.join(', ')}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(end, async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** @returns why another one may be tried; null: this was the answer */
function forward(
  forum: string,
  asked: IncomingMessage,
  body: Buffer,
  reply: ServerResponse,
): Promise<string | null> {
  const { method = 'GET', url = '/', headers } = asked
  return new Promise((resolve) => {
    const forwarded = request(new URL(url, forum), {
      method,
      headers: { ...headers, connection: 'close' },
      agent: false,
    })
    forwarded.once('response', (answer) => {
      const { connection: _connection, 'transfer-encoding': _encoding, ...rest } = answer.headers
      reply.writeHead(answer.statusCode ?? 502, rest)
      answer.pipe(reply)
      resolve(null)
    })
    forwarded.once('error', (error: Error & { code?: string }) => {
      if (reply.headersSent) return void reply.destroy()
      const isSafe = method === 'GET' || method === 'HEAD' || error.code === 'ECONNREFUSED'
      if (isSafe) return resolve(error.message)
      reply.writeHead(502).end(`no answer: ${error.message}`)
      resolve(null)
    })
    forwarded.end(body)
  })
}
