import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../../rights/person.ts'
import { escapeText } from '../../text/escape.ts'
import { hueOf, initialsOf } from '../../text/face.ts'
import type { ChangeFeed } from '../change-feed/change-feed.ts'
import { languageOfRequest } from '../language.ts'
import { personPath } from '../paths.ts'
import type { MainPart } from '../views.ts'
import { filledIn, MAIN, readerLike, type Template, templateOf } from './reader.ts'
import { RenderedPages } from './rendered-pages.ts'
import type { Answer, OnSent, Rendering } from './rendering.ts'

const MAX_BYTES = 52 * 2 ** 20
const SLOT_BYTES = 80
const ID_BYTES = 20

/** The main part of a page, the same for all members with the same rights, language and time zone. */
interface MemberPage {
  readonly main: Omit<MainPart, 'html'>
  readonly template: Template
  readonly onSent: OnSent | null
  readonly personalFor: Rendering['personalFor']
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
    if (page === null || !('main' in page) || page.personalFor.has(person.id)) return false
    page.onSent?.(request)
    const own = await this.app.ownParts(person.id)
    let pieces: Buffer[] = []
    const around = reply.layout(page.main, own, ({ csrf, t }) => {
      const values = {
        name: escapeText(person.displayName),
        path: escapeText(personPath(person)),
        initials: escapeText(initialsOf(person.displayName)),
        hue: String(hueOf(person.id)),
        token: csrf(),
      }
      pieces = filledIn(page.template, values, (slot) => escapeText(own.text(slot, t)))
      return MAIN
    })
    const [before = '', after = ''] = around.split(MAIN)
    reply.send(Buffer.concat([Buffer.from(before), ...pieces, Buffer.from(after)]))
    return true
  }
}

function memberPage({ statusCode, headers }: Answer, rendering: Rendering): MemberPage | null {
  const { main, onSent, personalFor } = rendering
  if (statusCode !== 200 || main === null || headers['set-cookie'] !== undefined) return null
  const { html, ...rest } = main
  const template = templateOf(html)
  const size = template.bytes.length + SLOT_BYTES * template.slots.length + ID_BYTES * personalFor.size
  return { main: rest, template, onSent, personalFor, size }
}
