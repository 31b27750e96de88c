import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasForbidden, withoutEscapeSequences } from '../text/characters.ts'
import { typedFields, withBoxes } from './form.ts'
import { queryOf } from './params.ts'
import { localPath, signInPath } from './paths.ts'

/**
 * Keeps the fields of a form until its author has signed in.
 * @returns what the address of the form carries as `kept`; null when nothing is kept
 */
export type KeepForm = (
  request: FastifyRequest,
  reply: FastifyReply,
  fields: Record<string, string>,
) => Promise<string | null>

declare module 'fastify' {
  interface FastifyInstance {
    readonly keepForm: KeepForm
  }
  interface FastifyContextConfig {
    /** For a form's route: the page that shows this form, where its text waits after signing in. */
    formPage?: (request: FastifyRequest) => string | Promise<string>
    /** The fields whose text waits there, of forms that people write something in. Nothing is kept of others. */
    keeps?: readonly string[]
    /** Of these the fields that are boxes of one name, kept as one text. */
    boxes?: readonly string[]
    /** For a page whose query may be long, and comes back whole: findKeptForm of it has a field `query` then. */
    keepsQuery?: boolean
  }
}

/** Characters of an address to come back to, encoded. */
const MAX_NEXT_LENGTH = 2000

/**
 * 303 to /sign-in. A page comes back by itself; a form comes back on its page with what was typed: the text is kept
 * in the database and `kept=` in the address of that page finds it.
 */
export async function sendToSignIn(request: FastifyRequest, reply: FastifyReply) {
  if (request.method === 'GET' || request.method === 'HEAD')
    return reply.redirect(signInPath((await keptQuery(request, reply)) ?? comfortable(request.url)), 303)
  const { keeps = [], boxes = [] } = request.routeOptions.config
  const page = await pageOfForm(request)
  const typed = Object.entries(typedFields(withBoxes(request.body, boxes)))
  const fields = Object.fromEntries(typed.filter(([name]) => keeps.includes(name)))
  const isWorthKeeping =
    Object.values(fields).some((value) => value !== '') && !Object.values(fields).some(isUnstorable)
  const kept = isWorthKeeping ? await request.server.keepForm(request, reply, fields) : null
  const [path = '/', fragment] = page.split('#')
  const withKept = kept === null ? path : `${path}${path.includes('?') ? '&' : '?'}kept=${kept}`
  return reply.redirect(signInPath(fragment === undefined ? withKept : `${withKept}#${fragment}`), 303)
}

/**
 * Encoded once more, a long address becomes a header that proxies and clients do not take (nginx: 4 KB). Of such a one only the
 * page counts: no page of ours has so much to ask.
 */
function comfortable(url: string): string {
  const [page = '/'] = url.split('?')
  return [url, page].find((address) => encodeURIComponent(address).length <= MAX_NEXT_LENGTH) ?? '/'
}

/** Where a long query waits for its reader; null: it needs no such place, or is too long. */
async function keptQuery(request: FastifyRequest, reply: FastifyReply): Promise<string | null> {
  const { url, server, routeOptions } = request
  if (routeOptions.config.keepsQuery !== true || comfortable(url) === url) return null
  const kept = await server.keepForm(request, reply, { query: queryOf(url) })
  return kept === null ? null : `${url.split('?')[0]}?kept=${kept}`
}

/** The page that shows a form that was sent. @throws where its address names nothing */
export async function pageOfForm(request: FastifyRequest): Promise<string> {
  return (await request.routeOptions.config.formPage?.(request)) ?? pageBefore(request)
}

/** Where the form was sent from, as the browser tells; the front page otherwise. */
function pageBefore(request: FastifyRequest): string {
  const referrer = request.headers.referer
  if (referrer === undefined || !URL.canParse(referrer)) return '/'
  const { pathname } = new URL(referrer)
  return localPath(pathname)
}

function isUnstorable(value: string): boolean {
  const text = withoutEscapeSequences(value).replaceAll('\r\n', '\n')
  return !value.isWellFormed() || hasForbidden(text, { multiline: true })
}
