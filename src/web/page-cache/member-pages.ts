import type { FastifyReply, FastifyRequest } from 'fastify'
import { translatorOf } from '../../messages/catalogue.ts'
import type { Person } from '../../rights/person.ts'
import { escapeText } from '../../text/escape.ts'
import { hueOf, initialsOf } from '../../text/face.ts'
import { themeAttribute } from '../appearance.ts'
import { languageOfRequest } from '../language.ts'
import { personPath } from '../paths.ts'
import { courseOfBell } from '../shell.ts'
import { readerLike } from './rendering.ts'
import { filledIn, type SharedPages, type Template } from './shared-pages.ts'

/**
 * Sends a shared page to somebody who is signed in, with what is their own filled in.
 * @param url shared-url.ts; @returns false: nothing was sent, and the page is to be rendered for this person alone
 */
export async function answerMember(
  pages: SharedPages<Template>,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  url: string,
): Promise<boolean> {
  const { server } = request
  const language = languageOfRequest(request)
  const reader = readerLike({ ...person, language }, await server.courses.publicity())
  const page = await pages.find(request, {
    url,
    language,
    theme: 'system',
    encoding: 'identity',
    type: '',
    reader,
  })
  if (page === null || page.personalFor.has(person.id)) return false
  page.onSent?.(request)
  const own = await server.ownParts(person.id)
  const t = translatorOf(language)
  // The slots of the layout: shell.ts.
  const values: Readonly<Record<string, string>> = {
    'viewer.name': escapeText(person.displayName),
    'viewer.path': escapeText(personPath(person)),
    'viewer.initials': escapeText(initialsOf(person.displayName)),
    'viewer.hue': String(hueOf(person.id)),
    'viewer.theme': themeAttribute(person.theme),
    'viewer.token': reply.csrfToken(),
  }
  const html = filledIn(page.body, (slot) => {
    const course = courseOfBell(slot)
    if (course !== undefined)
      return server.part('/notifications/_bell', { t, count: own.unseenCount, course })
    return values[slot] ?? escapeText(own.text(slot, t))
  })
  reply.headers(page.headers).removeHeader('content-length').send(html)
  return true
}
