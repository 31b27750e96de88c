import { lookup } from 'node:dns'
import type { Agent, AgentOptions, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { bareHost, isLoopbackHost } from '../text/hosts.ts'

/** The arguments that a library passes to a custom `fetch`. */
export interface FetchOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** An answer that is longer than its bounds. */
export class TooLong extends Error {}

/**
 * `fetch` for libraries that take one, over the guarded client: text and forms only.
 * @returns what throws TooLong, NotPublic and errors of the network, and never follows a redirect
 */
export function guardedFetch(client: GuardedClient, bounds: Omit<FetchBounds, 'signal'>) {
  return async (url: string, { method, headers = {}, body, signal }: FetchOptions): Promise<Response> => {
    const sent = body === undefined || body === null ? {} : { body: String(body) }
    const fetched = await client.fetch(
      { url, method: method === 'POST' ? 'POST' : 'GET', headers, ...sent },
      { ...bounds, ...(signal && { signal }) },
    )
    if (!fetched.isWhole) throw new TooLong(`the answer is longer than ${bounds.maxBytes} bytes`)
    const type = fetched.headers['content-type']
    const isBare = [204, 205, 304].includes(fetched.status)
    return new Response(isBare ? null : new Uint8Array(fetched.body), {
      status: fetched.status,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    })
  }
}

// An `import` of these would load the client of `fetch` as well, which takes 11 MB.
const [http, https] = [process.getBuiltinModule('node:http'), process.getBuiltinModule('node:https')]

/** A name or an address leads into a network of its own: to us, or to a neighbour. */
export class NotPublic extends Error {
  constructor() {
    super('the address is not public')
  }
}

/** Whether an address may be connected to. @param host the name or address that was asked for */
export type AddressRule = (address: string, host: string, port: number) => boolean

/**
 * An agent that connects to allowed addresses only. Names are looked up for each connection, which goes to what was found and checked:
 * a name cannot lead elsewhere a moment later. Addresses in the place of a name are checked, too.
 */
function guardedAgent(protocol: 'http:' | 'https:', isAllowed: AddressRule, options: AgentOptions): Agent {
  const agent = protocol === 'https:' ? new https.Agent(options) : new http.Agent(options)
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (to, callback) => {
    const [host, port] = [to.host ?? to.hostname ?? '', Number(to.port)]
    if (isIP(host) !== 0 && !isAllowed(host, host, port)) {
      // Not at once: the request cannot hear of it yet.
      process.nextTick(() => callback?.(new NotPublic(), undefined as never))
      return undefined as never
    }
    return connect({ ...to, lookup: guardedLookup(isAllowed, port) }, callback)
  }
  return agent
}

function guardedLookup(isAllowed: AddressRule, port: number): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const [first] = found ?? []
      if (error !== null || first === undefined) return callback(error ?? new NotPublic(), '')
      if (!found.every(({ address }) => isAllowed(address, hostname, port)))
        return callback(new NotPublic(), '')
      return options.all === true ? callback(null, found) : callback(null, first.address, first.family)
    })
  }
}

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
 * addresses only, or those of hosts that the operator named (addressRule), which the connection itself checks; within bounds of
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

/** Hosts and networks that the operator allows besides public addresses. */
export interface Allowed {
  /** Names of hosts, in lower case, that may have addresses of a private network. */
  readonly privateHosts: readonly string[]
  /** A host of this machine, by a name or an address that leads to it; null: none. */
  readonly loopbackHost: string | null
}

/**
 * Public addresses, and what the operator named in the environment: nobody who uses the forum adds to it. A name that is allowed may lead
 * into a private network, but not to this machine, nor to the addresses that clouds give secrets at.
 */
export function addressRule({
  privateHosts,
  loopbackHost,
}: Allowed): (address: string, host: string) => boolean {
  return (address, host) => {
    if (isPublic(address)) return true
    if (!ipaddr.isValid(address)) return false
    const range = ipaddr.process(address).range()
    const name = host.toLowerCase()
    if (range === 'loopback') return name === loopbackHost
    return (range === 'private' || range === 'uniqueLocal') && privateHosts.includes(name)
  }
}

/** Whether an address is one of the open Internet: no network of our own, no neighbour, no tunnel to one. */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'
}

/**
 * A service of the operator's that answers JSON to JSON. Its address comes from the environment alone, so that its host may have private
 * addresses and be this machine.
 */
export class OperatorService {
  private readonly address: string
  private readonly headers: Readonly<Record<string, string>>
  private readonly client: GuardedClient

  /** @param url the address of the request, with the key as its user or password; its query isn't sent */
  constructor(url: string) {
    const { origin, pathname, hostname, username, password } = new URL(url)
    const host = bareHost(hostname)
    const key = decodeURIComponent(password || username)
    this.address = origin + pathname
    this.headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    }
    const loopbackHost = isLoopbackHost(hostname) ? host : null
    this.client = new GuardedClient(addressRule({ privateHosts: [host], loopbackHost }))
  }

  /** @throws what the network says */
  post(body: unknown, bounds: FetchBounds): Promise<Fetched> {
    const { address: url, headers } = this
    return this.client.fetch({ url, method: 'POST', headers, body: JSON.stringify(body) }, bounds)
  }

  close(): void {
    this.client.close()
  }
}
