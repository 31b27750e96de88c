import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasForbidden } from '../text/characters.ts'
import { typedFields } from './form.ts'
import { keepForm } from './kept-forms.ts'
import { localPath, signInPath } from './paths.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a form's route: the page that shows this form, where its text waits after signing in. */
    formPage?: (request: FastifyRequest) => string | Promise<string>
  }
}

/** Thrown where a visitor asks for what only signed-in people have. */
export class NeedsSignIn extends Error {}

/**
 * 303 to /sign-in. A page comes back by itself; a form comes back on its page with what was typed: the text is kept
 * in the database and `kept=` in the address of that page finds it.
 */
export async function sendToSignIn(request: FastifyRequest, reply: FastifyReply) {
  if (request.method === 'GET' || request.method === 'HEAD')
    return reply.redirect(signInPath(request.url), 303)
  const page = (await request.routeOptions.config.formPage?.(request)) ?? pageBefore(request)
  const fields = typedFields(request.body)
  const isWorthKeeping =
    Object.values(fields).some((value) => value !== '') && !Object.values(fields).some(isUnstorable)
  const kept = isWorthKeeping ? await keepForm(request, reply, fields) : null
  const [path = '/', fragment] = page.split('#')
  const withKept = kept === null ? path : `${path}${path.includes('?') ? '&' : '?'}kept=${kept}`
  return reply.redirect(signInPath(fragment === undefined ? withKept : `${withKept}#${fragment}`), 303)
}

/** Where the form was sent from, as the browser tells; the front page otherwise. */
function pageBefore(request: FastifyRequest): string {
  const referrer = request.headers.referer
  if (referrer === undefined || !URL.canParse(referrer)) return '/'
  const { pathname } = new URL(referrer)
  return localPath(pathname)
}

function isUnstorable(value: string): boolean {
  return !value.isWellFormed() || hasForbidden(value.replaceAll('\r\n', '\n'), { multiline: true })
}
