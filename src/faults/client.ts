import { type Agent, type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SignedIn } from '../bench/speed/people.ts'
import { formOf } from '../bench/speed/posting.ts'
import { BROWSER_HEADERS } from '../bench/speed/traffic.ts'

/** What came of a request. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly milliseconds: number
}

/** Milliseconds after which an answer counts as never. */
const PATIENCE = 20_000

/** Asks for a page, as a person or as a visitor, on a connection of its own or of an agent. @throws Error without an answer */
export function getPage(
  url: string,
  path: string,
  person: SignedIn | null = null,
  agent?: Agent,
): Promise<Answer> {
  return getPageAs(url, path, person === null ? {} : { cookie: person.cookie }, agent)
}

/** The same, with headers of one's own. */
export function getPageAs(
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  agent?: Agent,
): Promise<Answer> {
  return ask(url, { method: 'GET', path, headers: { ...BROWSER_HEADERS, ...headers }, body: '' }, agent)
}

/** Sends a form, as a browser does. @throws Error without an answer */
export function sendForm(
  url: string,
  person: SignedIn,
  path: string,
  fields: Readonly<Record<string, string>>,
  agent?: Agent,
): Promise<Answer> {
  return ask(url, formOf(person, path, fields), agent)
}

/** How often a form is sent, a second after it was refused. */
const TRIES = 30

/** Sends a form until it is taken, as people do who are told to try again: 503. @returns all answers, the last one last */
export async function insist(send: () => Promise<Answer>): Promise<Answer[]> {
  const refused: Answer[] = []
  let answer = await send()
  while (answer.status === 503 && refused.length < TRIES - 1) {
    refused.push(answer)
    await sleep(1000)
    answer = await send()
  }
  return [...refused, answer]
}

interface Asked {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function ask(url: string, { method, path, headers, body }: Asked, agent?: Agent): Promise<Answer> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const asked = request(new URL(path, url), {
      method,
      headers: { ...headers, ...length, 'accept-encoding': 'identity' },
      agent: agent ?? false,
    })
    const impatience = setTimeout(() => asked.destroy(new Error(`no answer in ${PATIENCE} ms`)), PATIENCE)
    asked.once('close', () => clearTimeout(impatience))
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
