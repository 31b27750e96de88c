import type { Agent, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { type AddressRule, guardedAgent } from './guarded-agent.ts'
import { isPublic } from './public-address.ts'

const [http, https] = [process.getBuiltinModule('node:http'), process.getBuiltinModule('node:https')]

export interface Outgoing {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
}

export interface FetchBounds {
  /** Milliseconds for all of it, the body of the answer too. */
  readonly deadline: number
  /** Bytes of the answer's body that are read: what is beyond is cut off. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

/** Redirects are not followed: they are answers like others. */
export interface Fetched {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Whether `body` is all there was. */
  readonly isWhole: boolean
}

/**
 * The client for every address that was given to the forum, such as those of push services and sign-in providers. Public
 * addresses only, or those of hosts that the operator named (address-rule.ts), which the connection itself checks; within bounds of
 * time and size; without redirects, proxies and compression.
 */
export class GuardedClient {
  private readonly agents: { readonly 'http:': Agent; readonly 'https:': Agent }

  /** @param isAllowed which addresses may be connected to: public ones, unless said */
  constructor(isAllowed: AddressRule = isPublic) {
    // Kept for a moment: a hundred pushes to one service need no hundred handshakes.
    const options = { keepAlive: true, maxSockets: 8, maxFreeSockets: 2, timeout: 10_000 }
    this.agents = {
      'http:': guardedAgent('http:', isAllowed, options),
      'https:': guardedAgent('https:', isAllowed, options),
    }
  }

  /** @throws NotPublic, TypeError for an address of another protocol, and what Node says of networks, times and certificates */
  async fetch({ url, method, headers = {}, body }: Outgoing, bounds: FetchBounds): Promise<Fetched> {
    const { protocol } = new URL(url)
    if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError('not an http address')
    const own = AbortSignal.timeout(bounds.deadline)
    const signal = bounds.signal === undefined ? own : AbortSignal.any([own, bounds.signal])
    const answer = await answerOf(url, { method, headers, signal, agent: this.agents[protocol] }, body)
    return {
      ...(await bodyOf(answer, bounds.maxBytes)),
      status: answer.statusCode ?? 0,
      headers: answer.headers,
    }
  }

  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy()
  }
}

function answerOf(url: string, options: RequestOptions, body: Outgoing['body']): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:') ? https : http
  return new Promise((resolve, reject) => {
    const sent = request(url, options, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}

async function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<Pick<Fetched, 'body' | 'isWhole'>> {
  const chunks: Buffer[] = []
  let left = maxBytes
  // Leaving the loop ends the connection.
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, left))
    left -= chunk.length
    if (left < 0) return { body: Buffer.concat(chunks), isWhole: false }
  }
  return { body: Buffer.concat(chunks), isWhole: true }
}
