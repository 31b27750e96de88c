import type { IncomingHttpHeaders } from 'node:http'
import { markupMistakes } from '../../testing/markup.ts'
import type { FuzzRequest, Heard } from './client.ts'
import { partsOf } from './page-parts.ts'

/** Maximum milliseconds of a response, on a machine that is busy with other work. */
const MAX_RESPONSE_MS = 10_000

/** Signs of a crash: lines of a stack, our folders, errors of the database. */
const CRASH_SIGNS =
  /\n\s+at \S+ \((?:file:|node:|\/)|\/node_modules\/|\b(?:PostgresError|DatabaseError|SqlState)\b/

/** Problems of a response, whatever the request; empty when it is as every response must be. */
export async function complaintsAbout(request: FuzzRequest, heard: Heard): Promise<string[]> {
  const { status, headers, body, failure } = heard
  if (failure !== null) return [`no answer: ${failure}`]
  const complaints: string[] = []
  if (status >= 500 && !(status === 503 && /^\/live\/|\/desk\/live/.test(request.path)))
    complaints.push(`status ${status}`)
  if (heard.milliseconds > MAX_RESPONSE_MS) complaints.push(`took ${Math.round(heard.milliseconds)} ms`)
  if (!String(headers['content-security-policy']).startsWith("default-src 'none'"))
    complaints.push('no content security policy')
  if (headers['x-content-type-options'] !== 'nosniff') complaints.push('no nosniff')
  if (status >= 300 && status < 400 && status !== 304) complaints.push(...aboutRedirect(headers.location))
  if (status === 429 && headers['retry-after'] === undefined) complaints.push('429 without Retry-After')
  if (CRASH_SIGNS.test(body)) complaints.push('tells its insides')
  if (request.method !== 'HEAD') complaints.push(...(await aboutPage(request, heard)))
  return complaints
}

/** What scripts put into a page. */
const PIECES = '/mentions/'

async function aboutPage({ path }: FuzzRequest, { status, headers, body }: Heard): Promise<string[]> {
  const isPage = headers['content-type'] === 'text/html; charset=utf-8'
  if (!isPage)
    return status >= 400 && !isProblem(path, headers)
      ? [`an error as ${headers['content-type'] ?? 'nothing'}`]
      : []
  if (status < 400 && (body === '' || path.startsWith(PIECES))) return []
  const complaints = partsOf(body, '/').intruders.map((intruder) => `intruder ${intruder}`)
  complaints.push(...(await markupMistakes(body)).map((mistake) => `HTML ${mistake}`))
  if (!/<main[\s>]/.test(body)) complaints.push('no page of the forum')
  if (status >= 400 && !/<code>[0-9a-f-]{36}<\/code>/.test(body) && !isFormAgain(status))
    complaints.push(`an error without its number on ${path.slice(0, 40)}`)
  return complaints
}

/** Errors of addresses for programs. */
const isProblem = (path: string, headers: IncomingHttpHeaders) =>
  /^\/api(?:[/?]|$)/.test(path) && headers['content-type']?.startsWith('application/problem+json') === true

/** These show the submitted form with its errors. */
const isFormAgain = (status: number) => status === 409 || status === 410 || status === 422

function aboutRedirect(location: string | undefined): string[] {
  if (location === undefined) return ['a redirect to nowhere']
  const base = 'http://forum.invalid'
  const isOurs =
    location.startsWith('/') && URL.canParse(location, base) && new URL(location, base).origin === base
  return isOurs ? [] : [`a redirect to ${location}`]
}
