import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PageRequest } from './page-requests.ts'
import { BROWSER_HEADERS } from './page-requests.ts'

/** A response as received: not decompressed. */
export interface RawPage {
  readonly path: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Bytes of status line, headers and body. */
  readonly bytes: number
}

const CONNECTIONS = 8

/** Of this machine, each a network of its own for the limit of page renderings. Linux has all of them, others the first. */
const ADDRESSES = Array.from(
  { length: process.platform === 'linux' ? 250 : 1 },
  (_, number) => `127.0.0.${number + 1}`,
)
/** The one that is below its limit. */
let sender = 0

/**
 * Requests one page, on a new connection or an agent's.
 * @param localAddress it is sent from
 */
export function fetchRaw(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  agent?: Agent,
  localAddress = ADDRESSES[0],
): Promise<RawPage> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), {
      localAddress,
      headers: { ...BROWSER_HEADERS, ...headers },
      ...(agent !== undefined && { agent }),
    })
    asked.once('error', reject)
    asked.once('response', (answer) => {
      buffer(answer).then((body) => {
        const head = answer.rawHeaders.reduce((sum, text) => sum + Buffer.byteLength(text) + 2, 0)
        const bytes =
          `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n\r\n`.length + head + body.length
        resolve({ path, status: answer.statusCode ?? 0, headers: answer.headers, body, bytes })
      }, reject)
    })
    asked.end()
  })
}

/**
 * Requests one page, for visitors from another address when one has reached the limit of page renderings per network. An
 * account, or a machine with one address, waits as long as the limit asks for.
 */
async function fetchUnlimited(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  agent?: Agent,
): Promise<RawPage> {
  const number = sender
  const page = await fetchRaw(url, path, headers, agent, ADDRESSES[number])
  if (page.status !== 429) return page
  if (headers.cookie?.includes('session=') === true || ADDRESSES.length === 1)
    await sleep(1000 * Number(page.headers['retry-after']))
  else if (sender === number) sender = (number + 1) % ADDRESSES.length
  return fetchUnlimited(url, path, headers, agent)
}

/**
 * All pages, with limited concurrency.
 * @throws Error for a missing one
 */
export async function fetchPages(
  url: string,
  paths: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Promise<RawPage[]> {
  const pages: RawPage[] = []
  await eachAtOnce(paths, async (path, agent) => {
    const page = await fetchUnlimited(url, path, headers, agent)
    if (page.status !== 200) throw new Error(`${path} answered ${page.status}`)
    pages.push(page)
  })
  return pages
}

/** Requests pages with these cookies and discards them. */
export async function fetchAll(url: string, requests: readonly PageRequest[]): Promise<void> {
  await eachAtOnce(requests, async ({ path, cookie = '' }, agent) => {
    await fetchUnlimited(url, path, { cookie }, agent)
  })
}

async function eachAtOnce<Item>(
  items: readonly Item[],
  fetchOne: (item: Item, agent: Agent) => Promise<void>,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const waiting = items.values()
  const fetchNext = async () => {
    for (const item of waiting) await fetchOne(item, agent)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, fetchNext))
  agent.destroy()
}

/** Headers of a page, without those that every server adds. */
export function ownHeaders({ headers }: RawPage): Record<string, string> {
  const added = ['connection', 'date', 'keep-alive', 'content-length', 'transfer-encoding']
  const own = Object.entries(headers).filter(([name]) => !added.includes(name))
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]))
}
