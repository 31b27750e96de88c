import { type Agent, type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { BROWSER_HEADERS } from '../bench/speed/page-requests.ts'
import type { SignedIn } from '../bench/speed/people.ts'
import { formOf } from '../bench/speed/posting.ts'

/** The outcome of a request. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly milliseconds: number
}

/** Timeout of a response. */
const RESPONSE_TIMEOUT_MS = 60_000

/**
 * Requests a page, as a person or a visitor, on a new connection or an agent's.
 * @throws Error without a response
 */
export function getPage(
  url: string,
  path: string,
  person: SignedIn | null = null,
  agent?: Agent,
): Promise<Answer> {
  return getPageAs(url, path, person === null ? {} : { cookie: person.cookie }, agent)
}

/** The same, with additional headers. */
export function getPageAs(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  agent?: Agent,
): Promise<Answer> {
  return ask(url, { method: 'GET', path, headers: { ...BROWSER_HEADERS, ...headers }, body: '' }, agent)
}

/**
 * Submits a form like a browser.
 * @throws Error without a response
 */
export function sendForm(
  url: string,
  person: SignedIn,
  path: string,
  fields: Readonly<Record<string, string>>,
  agent?: Agent,
): Promise<Answer> {
  return ask(url, formOf(person, path, fields), agent)
}

/** Maximum attempts to submit a form, a second apart. */
const MAX_ATTEMPTS = 30

/**
 * Submits a form until it is accepted, retrying on 503 as people are told to.
 * @returns all responses, the last one last
 */
export async function insist(send: () => Promise<Answer>): Promise<Answer[]> {
  const refused: Answer[] = []
  let answer = await send()
  while (answer.status === 503 && refused.length < MAX_ATTEMPTS - 1) {
    refused.push(answer)
    await sleep(1000)
    answer = await send()
  }
  return [...refused, answer]
}

interface RequestOptions {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function ask(url: string, { method, path, headers, body }: RequestOptions, agent?: Agent): Promise<Answer> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const asked = request(new URL(path, url), {
      method,
      headers: { ...headers, ...length, 'accept-encoding': 'identity' },
      agent: agent ?? false,
    })
    const timeout = setTimeout(
      () => asked.destroy(new Error(`no answer in ${RESPONSE_TIMEOUT_MS} ms`)),
      RESPONSE_TIMEOUT_MS,
    )
    asked.once('close', () => clearTimeout(timeout))
    asked.once('error', reject)
    asked.once('response', (answer) => {
      buffer(answer).then((received) => {
        const { statusCode: status = 0, headers } = answer
        resolve({ status, headers, body: received.toString(), milliseconds: performance.now() - begun })
      }, reject)
    })
    asked.end(body)
  })
}
