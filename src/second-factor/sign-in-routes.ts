import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Guesses } from '../accounts/guesses.ts'
import { letIn } from '../accounts/welcome.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { type FormState, freshForm, refuse } from '../web/form.ts'
import { languageOfRequest } from '../web/language.ts'
import { codeForm } from './forms.ts'
import { forgetHalfSignIn, halfSignInToken } from './half-cookie.ts'
import { endHalfSignIn, findHalfSignIn, tryHalfSignIn } from './half-sign-ins.ts'
import { digitsOf, useCode } from './second-factor.ts'

declare module '../web/views.ts' {
  interface Pages {
    'second-factor/code': CodePage
  }
}

export interface CodePage {
  readonly form: FormState
  readonly signInPath: string
}

/**
 * The second step of signing in. Wrong codes are counted by account and network address, as passwords are (accounts/guesses.ts),
 * and after five the password is asked for again.
 */
export function registerCodes(app: FastifyInstance, guesses: Guesses): void {
  app.get('/sign-in/code', async (request, reply) => {
    const token = halfSignInToken(request)
    if (token === null || (await findHalfSignIn(app.db, token)) === null)
      return reply.redirect('/sign-in', 303)
    return showCode(request, reply, freshForm())
  })

  app.post('/sign-in/code', { config: { limit: 'signIn' } }, async (request, reply) => {
    const token = halfSignInToken(request)
    const half = token === null ? null : await findHalfSignIn(app.db, token)
    if (token === null || half === null) return startAgain(request, reply)
    const form = codeForm.parse(request.body)
    if (!form.ok) return showCode(request, reply, form, 422)
    const { personId } = half
    const guessed = { personId, what: 'code' } as const
    // Recovery codes are too long to be guessed, and the way in when the app's are no more.
    const isOfApp = digitsOf(form.values.code) !== null
    const seconds =
      (await guesses.wait(guessed, request.ip)) ?? (isOfApp ? await guesses.waitForCode(guessed) : null)
    if (seconds !== null) return showLimited(request, reply, form, seconds)
    if (!(await tryHalfSignIn(app.db, token))) return startAgain(request, reply)
    const isRight = await app.db.transaction().execute((write) => useCode(write, personId, form.values.code))
    if (!isRight) {
      request.log.info({ event: 'sign-in-refused', personId, way: 'code' }, 'wrong code')
      return showCode(request, reply, refuse(form, 'code', 'secondFactor.code.wrong'), 422)
    }
    await guesses.forget(guessed, request.ip)
    if (!(await endHalfSignIn(app.db, token))) return startAgain(request, reply)
    forgetHalfSignIn(request, reply)
    return letIn(request, reply, { ...half, flash: 'accounts.flash.signedIn' }, true)
  })
}

/** Too late, or too many wrong codes: back to the password. */
function startAgain(request: FastifyRequest, reply: FastifyReply) {
  forgetHalfSignIn(request, reply)
  return reply.flash('secondFactor.flash.startAgain').redirect('/sign-in', 303)
}

function showLimited(request: FastifyRequest, reply: FastifyReply, form: FormState, seconds: number) {
  request.log.warn({ event: 'sign-in-limited', address: request.ip, way: 'code' }, 'too many wrong codes')
  reply.header('retry-after', String(seconds))
  const minutes = Math.ceil(seconds / 60)
  return showCode(request, reply, refuse(form, 'code', 'secondFactor.code.wait', { minutes }), 429)
}

/** A code is typed anew each time: it works once. */
function showCode(request: FastifyRequest, reply: FastifyReply, { errors }: FormState, status = 200) {
  const t = translatorOf(languageOfRequest(request))
  reply.header('cache-control', 'private, no-store')
  return reply.page(
    'second-factor/code',
    { title: t('secondFactor.code.title'), form: { typed: {}, errors }, signInPath: '/sign-in' },
    { status },
  )
}
