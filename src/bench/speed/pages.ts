import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { PageRequest } from './load.ts'
import { BROWSER_HEADERS } from './traffic.ts'

/** An answer as it came over the wire: nothing unpacked. */
export interface RawPage {
  readonly path: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Bytes of status line, headers and body. */
  readonly bytes: number
}

const AT_ONCE = 8

/** Asks for one page, on a connection of its own or of an agent. */
export function fetchRaw(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  agent?: Agent,
): Promise<RawPage> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), {
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

export interface FetchOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** How many connections ask. */
  readonly connections?: number
}

/** All pages, some at a time. @throws Error for one that is not there */
export async function fetchPages(
  url: string,
  paths: readonly string[],
  { headers = {}, connections = AT_ONCE }: FetchOptions = {},
): Promise<RawPage[]> {
  const pages: RawPage[] = []
  await eachAtOnce(paths, connections, async (path, agent) => {
    const page = await fetchRaw(url, path, headers, agent)
    if (page.status !== 200) throw new Error(`${path} answered ${page.status}`)
    pages.push(page)
  })
  return pages
}

/** Asks for pages as those who send these cookies; what comes is of no interest. */
export async function fetchAll(url: string, requests: readonly PageRequest[]): Promise<void> {
  await eachAtOnce(requests, AT_ONCE, async ({ path, cookie = '' }, agent) => {
    await fetchRaw(url, path, { cookie }, agent)
  })
}

async function eachAtOnce<Item>(
  items: readonly Item[],
  connections: number,
  fetchOne: (item: Item, agent: Agent) => Promise<void>,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const waiting = items.values()
  const fetchNext = async () => {
    for (const item of waiting) await fetchOne(item, agent)
  }
  await Promise.all(Array.from({ length: connections }, fetchNext))
  agent.destroy()
}

/** Headers that a page has of its own, without those that every server adds. */
export function ownHeaders({ headers }: RawPage): Record<string, string> {
  const added = ['connection', 'date', 'keep-alive', 'content-length', 'transfer-encoding']
  const own = Object.entries(headers).filter(([name]) => !added.includes(name))
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]))
}
