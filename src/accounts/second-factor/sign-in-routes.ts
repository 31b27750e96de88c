import type { FastifyInstance } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { freshForm, refuse } from '../../web/form.ts'
import { refuseGuess } from '../identity/guesses.ts'
import { endHalfSignIn, forgetHalfSignIn, halfSignInOf, tryHalfSignIn } from '../sessions/half-sign-ins.ts'
import { letIn } from '../sessions/welcome.ts'
import { showCode, startAgain } from './pages.ts'
import { codeForm, digitsOf, useCode } from './second-factor.ts'

/**
 * The second step of signing in. Wrong codes are counted, as passwords are (accounts/identity/guesses.ts),
 * and after five the password is asked for again. No operation: only a session begins.
 */
export function registerCodes(app: FastifyInstance): void {
  app.get('/sign-in/code', async (request, reply) => {
    const begun = await halfSignInOf(request)
    if (begun === null) return reply.redirect('/sign-in', 303)
    return showCode(request, reply, begun.half, freshForm())
  })

  app.post('/sign-in/code', { config: { limit: 'signIn' } }, async (request, reply) => {
    const begun = await halfSignInOf(request)
    if (begun === null) return startAgain(request, reply)
    const { token, half } = begun
    const form = codeForm.parse(request.body)
    if (!form.ok) return showCode(request, reply.code(422), half, form)
    const { personId } = half
    const guessed = { personId, what: 'code' } as const
    // Recovery codes are too long to be guessed, and the way in when the app's are no more.
    const isOfApp = digitsOf(form.values.code) !== null
    const seconds =
      (await app.guesses.wait(guessed, request.ip)) ??
      (isOfApp ? await app.guesses.waitForCode(guessed) : null)
    if (seconds !== null) {
      noteEvent(request, 'sign-in-limited', { personId, way: 'code' })
      const refused = refuseGuess(reply, seconds, form, 'code', 'secondFactor.code.wait')
      return showCode(request, reply, half, refused)
    }
    if (!(await tryHalfSignIn(app.db, token))) return startAgain(request, reply)
    const isRight = await useCode(app.db, app.secretKeys, personId, form.values.code)
    if (!isRight) {
      noteEvent(request, 'sign-in-refused', { personId, way: 'code' })
      return showCode(request, reply.code(422), half, refuse(form, 'code', 'secondFactor.code.wrong'))
    }
    await app.guesses.forget(guessed, request.ip)
    if (!(await endHalfSignIn(app.db, token))) return startAgain(request, reply)
    forgetHalfSignIn(request, reply)
    return letIn(request, reply, { ...half, flash: 'accounts.flash.signedIn' }, 'code')
  })
}
