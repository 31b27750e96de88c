import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'

export interface FuzzRequest {
  readonly method: string
  /** As sent over the wire: encoded, or broken on purpose. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface Heard {
  /** 0: no response in time, or the connection was cut. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly milliseconds: number
  /** Why there was no response. */
  readonly failure: string | null
}

/** Timeout of a response. */
const RESPONSE_TIMEOUT_MS = 30_000
/** Maximum attempts at an overloaded forum, and the milliseconds between them. A persistent 503 is a finding. */
const MAX_ATTEMPTS = 10
const RETRY_DELAY_MS = 500

/** A client on real connections: keeps cookies, and sends anything. */
export class Client {
  readonly cookies = new Map<string, string>()
  private readonly url: URL
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(url: string) {
    this.url = new URL(url)
  }

  /** The origin that a browser would send with a form. */
  get origin(): string {
    return this.url.origin
  }

  /** A forum on a busy machine sheds load with 503: retries, as the response asks. */
  async send(request: FuzzRequest): Promise<Heard> {
    for (let attempt = 1; ; attempt += 1) {
      const heard = await this.sendOnce(request)
      const isShed = heard.status === 503 && heard.headers['retry-after'] !== undefined
      if (!isShed || attempt === MAX_ATTEMPTS) return heard
      await sleep(RETRY_DELAY_MS)
    }
  }

  close(): void {
    this.agent.destroy()
  }

  private async sendOnce(request: FuzzRequest): Promise<Heard> {
    const began = performance.now()
    const heard = await this.exchange(request)
    for (const cookie of heard.headers['set-cookie'] ?? []) this.keep(cookie)
    return { ...heard, milliseconds: performance.now() - began }
  }

  private exchange({ method, path, headers, body }: FuzzRequest): Promise<Omit<Heard, 'milliseconds'>> {
    const { promise, resolve } = Promise.withResolvers<Omit<Heard, 'milliseconds'>>()
    const fail = (failure: string) => resolve({ status: 0, headers: {}, body: '', failure })
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    // Node omits it for HEAD and similar methods: the body would be parsed as the next request.
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = httpRequest(
      {
        host: this.url.hostname,
        port: this.url.port,
        agent: this.agent,
        method,
        path,
        headers: { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...length, ...headers },
      },
      (answer) => {
        const status = answer.statusCode ?? 0
        const parts: Buffer[] = []
        // An event stream has no end: its beginning is enough.
        if (answer.headers['content-type']?.startsWith('text/event-stream') === true) {
          answer.destroy()
          return resolve({ status, headers: answer.headers, body: '', failure: null })
        }
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () =>
          resolve({ status, headers: answer.headers, body: unpacked(answer, parts), failure: null }),
        )
        answer.on('error', (error) => fail(error.message))
      },
    )
    sent.setTimeout(RESPONSE_TIMEOUT_MS, () =>
      sent.destroy(new Error(`no answer in ${RESPONSE_TIMEOUT_MS} ms`)),
    )
    sent.on('error', (error) => fail(error.message))
    sent.end(body)
    return promise
  }

  private keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split(';')
    const at = pair.indexOf('=')
    const name = pair.slice(0, at)
    const hasEnded = attributes.some((attribute) =>
      /^\s*max-age=0$|^\s*expires=thu, 01 jan 1970/i.test(attribute),
    )
    if (hasEnded) this.cookies.delete(name)
    else this.cookies.set(name, pair.slice(at + 1))
  }
}

const UNPACK: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
}

function unpacked({ headers }: IncomingMessage, parts: readonly Buffer[]): string {
  const bytes = Buffer.concat(parts)
  const unpack = UNPACK[headers['content-encoding'] ?? '']
  return (unpack === undefined || bytes.length === 0 ? bytes : unpack(bytes)).toString('utf8')
}
