import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { hasMessage, type Message } from '../messages/catalogue.ts'
import { cookieOf, setSignedCookie, signedCookieOf } from './cookies.ts'

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Shows a message on the next page.
     * @param said a message key, or several messages with their values; `{email}` is the address of who reads them
     * @param act where a button beside it posts, with the form's fields as its query: as text, what undoes what was done
     */
    flash(said: string | readonly Message[], act?: string | FlashAct): FastifyReply
  }
}

const COOKIE = 'flash'

/** A button beside a message: where it posts, and the key of its text. */
export interface FlashAct {
  readonly path: string
  readonly label: string
}

/** What was just done, and what can be done about it; null: nothing. */
export interface Flash {
  readonly said: readonly Message[]
  readonly act: FlashAct | null
}

/** The button that undoes what was done. */
export const UNDO = 'posts.undo'

/** Messages for the next page, carried by a cookie that says which of ours, with their numbers and names, never the words. */
export function registerFlash(app: FastifyInstance): void {
  const { options } = cookieOf(app.config, COOKIE)
  app.decorateReply(
    'flash',
    function (this: FastifyReply, said: string | readonly Message[], act?: string | FlashAct) {
      const flash: Flash = {
        said: typeof said === 'string' ? [{ key: said }] : said,
        act: typeof act === 'string' ? { path: act, label: UNDO } : (act ?? null),
      }
      return setSignedCookie(this, COOKIE, JSON.stringify(flash), { ...options, maxAge: 60 })
    },
  )
}

/**
 * The message left for this page, which is shown once. All tabs of a browser share its cookie: what one of them gets without
 * showing it, such as newer parts of its page, leaves the message to the tab that it is for.
 */
export function takeFlash(request: FastifyRequest, reply: FastifyReply): Flash | null {
  if (request.cookies[COOKIE] === undefined || !isToBeSeen(request)) return null
  reply.clearCookie(COOKIE, { path: '/' })
  const flash = flashIn(signedCookieOf(request, COOKIE) ?? '')
  // An upgrade may have renamed the messages meanwhile.
  return flash?.said.every(({ key }) => hasMessage(key)) && hasMessage(flash.act?.label ?? UNDO)
    ? flash
    : null
}

/**
 * Whether a person sees the answer as a page: not what a browser gets ahead or for a picture, nor what a script gets in the
 * background (public/js/newer-page.js). A form that a script sends in place gets the page that it leads to, and says its message;
 * to another page than its own it goes (public/js/in-place.js), and that one says it.
 */
function isToBeSeen({ headers, url }: FastifyRequest): boolean {
  const { accept = '', referer, 'sec-fetch-dest': destination = 'document', 'sec-purpose': purpose } = headers
  const isPage = destination === 'document' || accept.includes('text/html')
  const isInPlace = accept === 'text/html' && referer !== undefined && URL.canParse(referer)
  const isLeft = isInPlace && new URL(referer).pathname !== url.split('?')[0]
  return isPage && !isLeft && purpose === undefined && !/;\s*background=1\b/.test(accept)
}

/** @returns null for what another version wrote */
function flashIn(text: string): Flash | null {
  try {
    return flashOf.parse(JSON.parse(text))
  } catch {
    return null
  }
}

const flashOf = z.object({
  said: z
    .array(
      z.object({
        key: z.string(),
        values: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
      }),
    )
    .nonempty(),
  act: z.object({ path: z.string(), label: z.string() }).nullable(),
})
