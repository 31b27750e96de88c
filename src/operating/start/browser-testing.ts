import { setTimeout as sleep } from 'node:timers/promises'

/** Timeout of an answer that will never come: the process was killed between reading and answering. */
const MAX_WAIT_MS = 60_000
const PAUSE_MS = 200

/** The answer of a forum that is not too busy to give one: on a busy machine it may be, and asks to come again. */
export async function fetchAgain(url: string | URL, options: RequestInit = {}): Promise<Response> {
  for (const end = Date.now() + MAX_WAIT_MS; ; await sleep(PAUSE_MS)) {
    const answer = await fetch(url, options)
    const isTooBusy = answer.status === 503 && answer.headers.has('retry-after')
    if (!isTooBusy || Date.now() > end) return answer
    await answer.body?.cancel()
  }
}

/** A person with a browser, over real connections: keeps cookies, does not follow redirects. */
export class HttpBrowser {
  private readonly url: string
  private readonly cookies = new Map<string, string>()

  constructor(url: string) {
    this.url = url
  }

  async get(path: string): Promise<Response> {
    return this.send(path, { method: 'GET' })
  }

  async post(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
    return this.send(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    })
  }

  /** The `_csrf` of a page's forms. */
  async token(path: string): Promise<string> {
    const html = await (await this.get(path)).text()
    return /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
  }

  /** Uses a one-time link like a person: opens it and presses the button. */
  async signIn(link: string): Promise<void> {
    const { pathname, search, searchParams } = new URL(link)
    const answer = await this.post(pathname, {
      _csrf: await this.token(`${pathname}${search}`),
      token: searchParams.get('token') ?? '',
    })
    if (answer.status !== 303) throw new Error(`${link} answered ${answer.status}`)
  }

  private async send(path: string, options: RequestInit): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' }
    const answer = await fetchAgain(new URL(path, this.url), { ...options, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.cookies.set(name, value)
    }
    return answer
  }
}
