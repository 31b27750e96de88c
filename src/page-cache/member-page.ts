import { gunzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../accounts/person.ts'
import { escapeText } from '../text/escape.ts'
import { personPath } from '../web/paths.ts'
import type { Asked } from './asked.ts'
import { GappedGzip } from './gapped-gzip.ts'
import type { KeptPage } from './kept-pages.ts'
import type { Rendered } from './page-rendering.ts'
import { type Slot, splitAtSlots } from './reader.ts'
import { headersToKeep } from './shared-page.ts'

/** A page for people who are signed in, with gaps for what is each one's own. */
export interface MemberPage extends KeptPage {
  /** Names and values in turn, as Node's writeHead takes them. */
  readonly headers: readonly string[]
  readonly file: GappedGzip
  readonly slots: readonly Slot[]
  /** Another one for each page that is made. */
  readonly serial: number
}

/** Levels of zlib: for a page that will soon be another one, and for others. */
const QUICKEST = 1
const USUAL = 6

let made = 0

/**
 * @param isPassing it will soon be another one
 * @returns null for an answer that is no page, or one that one browser was told something with
 */
export function memberPage({ answer, shown }: Rendered, asked: Asked, isPassing: boolean): MemberPage | null {
  if (answer.statusCode !== 200 || answer.headers['set-cookie'] !== undefined) return null
  const { texts, slots } = splitAtSlots(answer.payload)
  const file = new GappedGzip(texts, isPassing ? QUICKEST : USUAL)
  made += 1
  return { asked, headers: headersToKeep(answer), file, slots, serial: made, shown, size: file.size }
}

/** Fills the gaps and sends the page, past the rest of the framework: what there is to do has been done when it was made. */
export function sendMemberPage(
  page: MemberPage,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
): void {
  const values: Readonly<Record<Slot, Buffer>> = {
    name: Buffer.from(escapeText(person.displayName)),
    path: Buffer.from(escapeText(personPath(person))),
    token: Buffer.from(reply.csrfToken()),
  }
  const file = page.file.filledWith(page.slots.map((slot) => values[slot]))
  const isGzip = request.encodings().includes('gzip')
  const body = isGzip ? file : gunzipSync(file)
  reply.hijack()
  reply.raw.writeHead(200, [
    ...page.headers,
    ...(isGzip ? ['content-encoding', 'gzip'] : []),
    'content-length',
    String(body.length),
  ])
  reply.raw.end(request.method === 'HEAD' ? undefined : body)
}
