import type { FastifyInstance } from 'fastify'
import { beginSession } from '../../accounts/sessions/sessions.ts'

/** A page, or the answer to a form: what staff get from the forum. */
export interface Shown {
  /** Where it is, after redirects. */
  readonly path: string
  readonly html: string
}

/** Somebody who is signed in, and has the forum's pages and forms and nothing else. */
export class Visit {
  private readonly app: FastifyInstance
  private readonly cookies = new Map<string, string>()
  private readonly host: string

  private constructor(app: FastifyInstance) {
    this.app = app
    this.host = new URL(app.config.baseUrl).host
  }

  static async begin(app: FastifyInstance, personId: number): Promise<Visit> {
    const visit = new Visit(app)
    const isSecure = app.config.baseUrl.startsWith('https:')
    visit.cookies.set(
      isSecure ? '__Host-session' : 'session',
      await beginSession(app.db, personId, 'simulation'),
    )
    return visit
  }

  /** Opens a page, and follows where it leads. @throws Error when there is none */
  async open(path: string): Promise<Shown> {
    const answer = await this.send({ method: 'GET', url: path.split('#')[0] ?? path })
    if (answer.statusCode === 303 || answer.statusCode === 301 || answer.statusCode === 302)
      return this.open(String(answer.headers.location))
    if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode}`)
    return { path, html: answer.body }
  }

  /**
   * Fills in a form of the page and sends it: its hidden fields go along, as a browser sends them.
   * @throws Error when the page has no such form, or the forum refuses it
   */
  async submit(
    { path, html }: Shown,
    action: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<void> {
    const form = formOf(html, action)
    if (form === null) throw new Error(`${path} has no form for ${action}`)
    const payload = new URLSearchParams({ ...hiddenFieldsOf(form), ...fields }).toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: this.app.config.baseUrl,
      'sec-fetch-site': 'same-origin',
    }
    const answer = await this.send({ method: 'POST', url: action, payload, headers })
    if (answer.statusCode !== 303) throw new Error(`POST ${action}: ${answer.statusCode}`)
  }

  private async send(request: {
    readonly method: 'GET' | 'POST'
    readonly url: string
    readonly payload?: string
    readonly headers?: Readonly<Record<string, string>>
  }) {
    const headers = { host: this.host, accept: 'text/html', ...request.headers }
    const answer = await this.app.inject({ ...request, headers, cookies: Object.fromEntries(this.cookies) })
    for (const { name, value, maxAge } of answer.cookies) {
      if (maxAge === 0) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }
}

function formOf(html: string, action: string): string | null {
  const forms = html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)
  for (const [form] of forms) if (form.includes(` action="${action}"`)) return form
  return null
}

function hiddenFieldsOf(form: string): Record<string, string> {
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].map(([input]) => input)
  const hidden = inputs.filter((input) => /\btype="hidden"/.test(input))
  const entries = hidden.map((input) => [attributeOf(input, 'name'), attributeOf(input, 'value')] as const)
  return Object.fromEntries(entries.filter(([name]) => name !== ''))
}

function attributeOf(tag: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
  return value
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
}
