import type { FastifyInstance } from 'fastify'
import { registerLeaving } from '../leaving/routes.ts'
import { registerPasskeyAdding } from '../passkeys/adding-routes.ts'
import { registerPasskeySettings } from '../passkeys/settings-routes.ts'
import { registerPasskeySignIn } from '../passkeys/sign-in-routes.ts'
import { registerSecondFactorSettings } from '../second-factor/settings-routes.ts'
import { registerCodes } from '../second-factor/sign-in-routes.ts'
import { registerSite } from '../site/routes.ts'
import { registerEmailChange } from './email-change-routes.ts'
import { registerEmailConfirmation } from './email-confirmation-routes.ts'
import { registerForgottenPassword } from './forgotten-password-routes.ts'
import { countGuesses } from './guesses.ts'
import { registerLinks } from './link-routes.ts'
import { registerNewPassword } from './new-password-routes.ts'
import { registerPasswordChange } from './password-routes.ts'
import { registerSessions } from './sessions-routes.ts'
import { registerSetUp } from './set-up-routes.ts'
import { registerSettings } from './settings-routes.ts'
import { registerSignIn } from './sign-in-routes.ts'
import { registerSignUp } from './sign-up-routes.ts'
import { registerTakingBack } from './taking-back-routes.ts'

/** Accounts: signing in, up and out, one-time links, forgotten passwords, settings, and the set-up of a new forum. */
export function registerAccounts(app: FastifyInstance): void {
  const guesses = countGuesses(app.db)
  registerSignIn(app, guesses)
  registerSignUp(app, guesses)
  registerCodes(app, guesses)
  registerPasskeySignIn(app, guesses)
  registerLinks(app)
  registerForgottenPassword(app)
  registerNewPassword(app)
  registerEmailConfirmation(app)
  registerEmailChange(app, guesses)
  registerTakingBack(app)
  registerSettings(app)
  registerSessions(app)
  registerSecondFactorSettings(app, guesses)
  registerPasskeySettings(app, guesses)
  registerPasskeyAdding(app, guesses)
  registerPasswordChange(app, guesses)
  registerLeaving(app, guesses)
  registerSite(app, guesses)
  registerSetUp(app)
}
