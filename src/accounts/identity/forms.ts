import { z } from 'zod'
import { choice, line } from '../../kernel/fields.ts'
import { isTimeZone } from '../../text/dates.ts'
import { form } from '../../web/form.ts'
import { anyEmail, displayName, email, knownPassword, newPassword, passwordAgain } from './fields.ts'

/** Where to go afterwards, as sent: localPath decides whether it is ours. */
const next = z.string()

export const signUpForm = form({ display_name: displayName(), email: email(), password: newPassword(), next })

export const signInForm = form({ email: anyEmail(), password: knownPassword(), next })

export const newPasswordForm = form({ token: z.string().max(200), password: newPassword() })

/** `email_password`, the current one, may be empty where none is asked for: queries.ts, proofForPassword. */
export const emailForm = form({ new_email: email(), email_password: passwordAgain() })

/** What the form of a confirmation says of its sender: AS_HOLDER, or nothing when they only have the mailbox. */
export const AS_HOLDER = 'holder'

/** `account_password` may be empty where the sender is signed in to the account, or only has the mailbox. */
export const confirmationForm = form({
  token: z.string().max(200),
  as: z.string().max(20),
  account_password: passwordAgain(),
})

export const SYSTEM = 'system'
export const LANGUAGE_CHOICES = [SYSTEM, 'en', 'ko'] as const
export const THEMES = [SYSTEM, 'light', 'dark'] as const

export const timeZone = () =>
  line({ min: 1, max: 64 }).refine(isTimeZone, { error: 'accounts.timeZone.unknown' })

export const appearanceForm = form({ language: choice(LANGUAGE_CHOICES), theme: choice(THEMES), next })

/** `current_password` may be empty where none is asked for: settings/settings-routes.ts decides. */
export const passwordForm = form({ current_password: passwordAgain(), password: newPassword() })
