import type { FastifyInstance } from 'fastify'
import { registerEmailConfirmation, registerTakingBack } from './address/address-routes.ts'
import { registerConsent } from './apps/consent-page.ts'
import { registerOwnApps } from './apps/own-apps.ts'
import { registerTokenDoors } from './apps/token-doors.ts'
import type { PostsOfLeaver } from './deletion/departure.ts'
import { registerLeaving } from './deletion/routes.ts'
import { countGuesses } from './identity/guesses.ts'
import { registerPasskeyAdding, registerPasskeySettings } from './passkeys/settings-page.ts'
import { registerPasskeySignIn } from './passkeys/sign-in-routes.ts'
import { registerLinking } from './providers/link.ts'
import { registerProviderLogout } from './providers/logout.ts'
import { openProviders } from './providers/provider-list.ts'
import { registerSignInSettings } from './providers/settings-page.ts'
import { registerWithProviders } from './providers/with-routes.ts'
import { registerSecondFactorSettings } from './second-factor/settings-routes.ts'
import { registerCodes } from './second-factor/sign-in-routes.ts'
import { registerSecurity, showSecurity } from './security-page.ts'
import { registerSessions } from './sessions/session-list.ts'
import { registerTimeZone } from './settings/reader-time-zone.ts'
import {
  registerAppearance,
  registerEmailChange,
  registerPasswordChange,
  registerSettings,
} from './settings/settings-routes.ts'
import { registerForgottenPassword, registerNewPassword } from './sign-in/forgotten-password.ts'
import { registerLinks } from './sign-in/links.ts'
import { registerSignIn } from './sign-in/sign-in-page.ts'
import { registerSignUp } from './sign-in/sign-up-routes.ts'
import { registerTokens } from './tokens/own-tokens.ts'

/** Accounts: signing in, up and out, one-time links, forgotten passwords, settings. @param leaversPosts what leaving does to posts */
export async function registerAccounts(app: FastifyInstance, leaversPosts: PostsOfLeaver): Promise<void> {
  app.decorate('guesses', countGuesses(app.db))
  const clients = openProviders(app)
  registerWithProviders(app, clients)
  registerProviderLogout(app, clients)
  registerLinking(app)
  registerSignInSettings(app)
  registerSignIn(app)
  registerSignUp(app)
  registerCodes(app)
  registerPasskeySignIn(app)
  registerLinks(app)
  registerForgottenPassword(app)
  registerNewPassword(app)
  registerEmailConfirmation(app)
  registerEmailChange(app)
  registerTimeZone(app)
  registerTakingBack(app)
  registerSettings(app)
  registerAppearance(app)
  registerSecurity(app)
  registerSessions(app)
  registerSecondFactorSettings(app, showSecurity)
  registerPasskeySettings(app)
  registerPasskeyAdding(app, showSecurity)
  registerPasswordChange(app)
  registerTokens(app)
  await registerConsent(app)
  await registerTokenDoors(app)
  registerOwnApps(app)
  registerLeaving(app, leaversPosts)
}
