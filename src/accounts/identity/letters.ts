import type { Language, Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { type MessageValues, translatorOf } from '../../messages/catalogue.ts'
import { pathWith, securityPath } from '../../web/paths.ts'

/** Letters about an account, by the key of their words in the messages, and the page that each leads to. */
const PATHS = {
  confirmation: '/confirm-email',
  newPassword: '/new-password',
  // Goes to the address that the account is to have.
  newAddress: '/confirm-email',
  passwordChanged: '/forgotten-password',
  passwordRemoved: '/forgotten-password',
  // Somebody tried to sign up with the address.
  addressTaken: '/forgotten-password',
  secondFactorOff: '/forgotten-password',
  recoveryCodes: '/forgotten-password',
  // Another factor is still asked for.
  factorRemoved: '/forgotten-password',
  // With the way back: an owner who did not do this is perhaps locked out.
  addressChanged: '/undo-email-change',
  secondFactorOn: '/undo-second-factor',
  passkeyAdded: '/undo-second-factor',
  accountLinked: '/undo-second-factor',
  accountUnlinked: securityPath('sign-in'),
  tokenMade: '/settings/tokens',
  tokenRevoked: '/settings/tokens',
  // Led to the course's tokens, by its own path.
  courseTokenMade: '/',
  courseTokenRevoked: '/',
  // Led to the webhook, by its own path.
  webhookPaused: '/',
  webhookFailing: '/',
  webhookGone: '/',
  farewell: '/',
  accountsMerged: '/sign-in',
  mergeUndone: '/sign-in',
} as const
type AccountLetter = keyof typeof PATHS

/** Their links are counted as they are made: mail-links.ts. */
const ASKED_FOR: ReadonlySet<AccountLetter> = new Set(['confirmation', 'newPassword', 'newAddress'])

/** Whom a letter is about, and where it goes. */
export interface Addressee {
  /** Of the account; null: theirs no more. */
  readonly id: number | null
  /** null: they have none, and get nothing. */
  readonly email: string | null
  /** Whether the mailbox is known to be theirs. */
  readonly isConfirmed: boolean
  /** null: what the page was in, as nothing better is known. */
  readonly language: Language | null
}

/** Where a request came in. */
export interface Circumstances {
  readonly baseUrl: string
  /** Of the page. */
  readonly language: Language
}

/** What differs from letter to letter of a kind. */
interface Particulars {
  /** Of the link; null: there is none. */
  readonly token?: string | null
  /** Left out: that of its kind. */
  readonly path?: string
  readonly values?: MessageValues
}

/**
 * Writes a letter. None names its addressee: until an address is confirmed, the name is what a stranger
 * typed, and would make the forum send strangers' words to anybody.
 */
export async function writeTo(
  write: Write,
  { id: personId, email: to, ...owner }: Addressee,
  kind: AccountLetter,
  { baseUrl, language: pageLanguage }: Circumstances,
  { token = null, path = PATHS[kind], values = {} }: Particulars = {},
) {
  if (to === null) return
  const language = owner.language ?? pageLanguage
  const t = translatorOf(language)
  await writeMail(write, {
    kind,
    to,
    isCapped: !owner.isConfirmed && !ASKED_FOR.has(kind),
    personId,
    language,
    subject: t(`letters.${kind}.subject`, values),
    paragraphs: [t(`letters.${kind}.text`, values), t(`letters.${kind}.else`, values)],
    action: { text: t(`letters.${kind}.action`), url: `${baseUrl}${pathWith(path, { token })}` },
    footer: t('letters.footer', { host: new URL(baseUrl).host }),
  })
}
