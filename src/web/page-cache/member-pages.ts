import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../../rights/person.ts'
import { escapeText } from '../../text/escape.ts'
import { hueOf, initialsOf } from '../../text/face.ts'
import { flattened } from '../../text/flattened.ts'
import type { ChangeFeed } from '../change-feed/change-feed.ts'
import { languageOfRequest } from '../language.ts'
import { personPath } from '../paths.ts'
import type { MainPart } from '../views.ts'
import { fillPlaceholders, readerLike, splitAtPlaceholders } from './reader.ts'
import { RenderedPages } from './rendered-pages.ts'
import type { Answer, OnSent, Rendering } from './rendering.ts'

const MAX_BYTES = 52 * 2 ** 20
/** People remembered per page who see it as others do. */
const MAX_REMEMBERED_READERS = 1000

/** The main part of a page, the same for all members with the same rights, language and time zone. */
interface MemberPage {
  readonly main: Omit<MainPart, 'html'>
  /** Texts and placeholders in turn. */
  readonly parts: readonly string[]
  readonly onSent: OnSent | null
  readonly isPersonalFor: Rendering['isPersonalFor']
  /** People for whom it is not personal: what makes it so is a change of the page, which drops it. */
  readonly sharers: Set<number>
  /** Bytes. */
  readonly size: number
}

/** Shared pages as people who are signed in get them: layout, name and tokens are their own. */
export class MemberPages extends RenderedPages<MemberPage> {
  constructor(app: FastifyInstance, feed: ChangeFeed) {
    super(app, feed, MAX_BYTES)
  }

  /** @param url shared-url.ts; @returns false: nothing was sent, and the page is to be rendered for this person alone */
  async answer(request: FastifyRequest, reply: FastifyReply, person: Person, url: string): Promise<boolean> {
    const language = languageOfRequest(request)
    const reader = readerLike({ ...person, language }, await this.app.courses.publicity())
    const key = `${JSON.stringify(reader)} ${url}`
    if (!this.cache.has(key)) this.app.renderLimit.count(request)
    const page = await this.find(key, { url, language, theme: 'system', reader }, memberPage)
    if (page === null || !('main' in page) || (await isPersonal(page, person.id))) return false
    page.onSent?.(request)
    const own = await this.app.ownParts(person.id)
    const html = reply.layout(page.main, own, ({ csrf, t }) =>
      fillPlaceholders(
        page.parts,
        {
          name: escapeText(person.displayName),
          path: escapeText(personPath(person)),
          initials: escapeText(initialsOf(person.displayName)),
          hue: String(hueOf(person.id)),
          token: csrf(),
        },
        (slot) => escapeText(own.text(slot, t)),
      ),
    )
    reply.send(html)
    return true
  }
}

function memberPage({ statusCode, headers }: Answer, rendering: Rendering): MemberPage | null {
  const { main, onSent, isPersonalFor } = rendering
  if (statusCode !== 200 || main === null || headers['set-cookie'] !== undefined) return null
  const { html, ...rest } = main
  const parts = splitAtPlaceholders(flattened(html))
  return { main: rest, parts, onSent, isPersonalFor, sharers: new Set(), size: Buffer.byteLength(html) }
}

async function isPersonal({ isPersonalFor, sharers }: MemberPage, personId: number): Promise<boolean> {
  if (sharers.has(personId)) return false
  if (await isPersonalFor(personId)) return true
  if (sharers.size < MAX_REMEMBERED_READERS) sharers.add(personId)
  return false
}
