import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { atEnd, type Ending } from '../../testing/at-end.ts'

/**
 * A load balancer before several forums that retries on another one where that is safe, like nginx by default: any
 * request when the connection was refused, and idempotent ones also when the response is missing. Connections to the
 * forums are kept alive, as with nginx's `keepalive`.
 * @returns its URL
 */
export async function startBalancer(end: Ending, forums: readonly string[]): Promise<string> {
  let turn = 0
  const agent = new Agent({ keepAlive: true })
  const server = createServer(async (asked, reply) => {
    const body = await buffer(asked).catch(() => null)
    if (body === null) return
    turn += 1
    const order = forums.map((_forum, index) => forums[(turn + index) % forums.length] ?? '')
    const failures: string[] = []
    for (const forum of order) {
      const failure = await forward(forum, agent, asked, body, reply)
      if (failure === null) return
      failures.push(failure)
    }
    reply.writeHead(502).end(`nobody answers: ${failures.join(', ')}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(end, async () => {
    server.closeAllConnections()
    agent.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** @returns why to retry on another one; null: this was the response */
function forward(
  forum: string,
  agent: Agent,
  asked: IncomingMessage,
  body: Buffer,
  reply: ServerResponse,
): Promise<string | null> {
  const { method = 'GET', url = '/', headers } = asked
  const { connection: _kept, ...passedOn } = headers
  return new Promise((resolve) => {
    const forwarded = request(new URL(url, forum), { method, headers: passedOn, agent })
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
