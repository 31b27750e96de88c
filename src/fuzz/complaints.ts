import { markupMistakes } from '../testing/markup.ts'
import type { Heard, Wish } from './client.ts'
import { partsOf } from './page-parts.ts'

/** Milliseconds that an answer may take, on a machine that does other things as well. */
const LONGEST = 10_000

/** Only what a failing program tells: lines of a stack, folders of ours, errors of the database. */
const INSIDES =
  /\n\s+at \S+ \((?:file:|node:|\/)|\/node_modules\/|\b(?:PostgresError|DatabaseError|SqlState)\b/

/** What is wrong with an answer, whatever was asked; nothing when it is as every answer must be. */
export async function complaintsAbout(wish: Wish, heard: Heard): Promise<string[]> {
  const { status, headers, body, failure } = heard
  if (failure !== null) return [`no answer: ${failure}`]
  const complaints: string[] = []
  if (status >= 500 && !(status === 503 && wish.path.startsWith('/live/')))
    complaints.push(`status ${status}`)
  if (heard.milliseconds > LONGEST) complaints.push(`took ${Math.round(heard.milliseconds)} ms`)
  if (!String(headers['content-security-policy']).startsWith("default-src 'none'"))
    complaints.push('no content security policy')
  if (headers['x-content-type-options'] !== 'nosniff') complaints.push('no nosniff')
  if (status >= 300 && status < 400 && status !== 304) complaints.push(...aboutRedirect(headers.location))
  if (status === 429 && headers['retry-after'] === undefined) complaints.push('429 without Retry-After')
  if (INSIDES.test(body)) complaints.push('tells its insides')
  if (wish.method !== 'HEAD') complaints.push(...(await aboutPage(wish, heard)))
  return complaints
}

async function aboutPage({ path }: Wish, { status, headers, body }: Heard): Promise<string[]> {
  const isPage = headers['content-type'] === 'text/html; charset=utf-8'
  if (!isPage) return status >= 400 ? [`an error as ${headers['content-type'] ?? 'nothing'}`] : []
  if (status < 400 && body === '') return []
  const complaints = partsOf(body, '/').intruders.map((intruder) => `intruder ${intruder}`)
  complaints.push(...(await markupMistakes(body)).map((mistake) => `HTML ${mistake}`))
  if (!/<main[\s>]/.test(body)) complaints.push('no page of the forum')
  if (status >= 400 && !/<code>[0-9a-f-]{36}<\/code>/.test(body) && !isFormAgain(status))
    complaints.push(`an error without its number on ${path.slice(0, 40)}`)
  return complaints
}

/** These show the form that was sent; it says itself what is wrong. */
const isFormAgain = (status: number) => status === 409 || status === 410 || status === 422

function aboutRedirect(location: string | undefined): string[] {
  if (location === undefined) return ['a redirect to nowhere']
  const base = 'http://forum.invalid'
  const isOurs =
    location.startsWith('/') && URL.canParse(location, base) && new URL(location, base).origin === base
  return isOurs ? [] : [`a redirect to ${location}`]
}
