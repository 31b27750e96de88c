import type { Language } from '../../database/schema.ts'
import type { Letter } from '../../mail/letter.ts'
import { type MessageValues, translatorOf } from '../../messages/catalogue.ts'
import { pathWith } from '../../web/paths.ts'

/** Letters about an account, by the key of their words in the messages. */
type AccountLetter =
  | 'confirmation'
  | 'newPassword'
  | 'passwordChanged'
  | 'passwordRemoved'
  | 'addressTaken'
  | 'newAddress'
  | 'addressChanged'
  | 'secondFactorOn'
  | 'secondFactorOff'
  | 'recoveryCodes'
  | 'factorRemoved'
  | 'passkeyAdded'
  | 'accountLinked'
  | 'accountUnlinked'
  | 'tokenMade'
  | 'tokenRevoked'
  | 'courseTokenMade'
  | 'courseTokenRevoked'
  | 'farewell'
  | 'accountsMerged'
  | 'mergeUndone'

/** Their links are counted as they are made: mail-links.ts. */
const ASKED_FOR: ReadonlySet<AccountLetter> = new Set(['confirmation', 'newPassword', 'newAddress'])

/** Whom a letter is about, and where it goes. */
export interface Addressee {
  /** null: theirs no more. */
  readonly personId: number | null
  readonly email: string
  /** Whether the mailbox is known to be theirs. */
  readonly isConfirmed: boolean
  /** null: what the page was in, as nothing better is known. */
  readonly language: Language | null
}

/** Where a request came in. */
export interface Circumstances {
  /** BASE_URL. */
  readonly baseUrl: string
  /** Of the page. */
  readonly language: Language
}

export type Where = readonly [to: Addressee, circumstances: Circumstances]

/** To confirm the address of a new account. */
export const confirmationLetter = (token: string, ...where: Where) =>
  accountLetter('confirmation', pathWith('/confirm-email', { token }), ...where)

/** To set a new password. */
export const newPasswordLetter = (token: string, ...where: Where) =>
  accountLetter('newPassword', pathWith('/new-password', { token }), ...where)

/** Tells of a new password. */
export const passwordChangedLetter = (...where: Where) =>
  accountLetter('passwordChanged', '/forgotten-password', ...where)

/** Tells that there is no password any more. */
export const passwordRemovedLetter = (...where: Where) =>
  accountLetter('passwordRemoved', '/forgotten-password', ...where)

/** Tells that somebody tried to sign up with the address. */
export const addressTakenLetter = (...where: Where) =>
  accountLetter('addressTaken', '/forgotten-password', ...where)

/** To confirm the address that an account is to have. Goes to that address. */
export const newAddressLetter = (token: string, ...where: Where) =>
  accountLetter('newAddress', pathWith('/confirm-email', { token }), ...where)

/** Tells the old address, with the way back. */
export const addressChangedLetter = (token: string, newEmail: string, ...where: Where) =>
  accountLetter('addressChanged', pathWith('/undo-email-change', { token }), ...where, { newEmail })

/**
 * No letter names its addressee: until an address is confirmed, the name is what a stranger typed, and would make the forum
 * send strangers' words to anybody.
 */
export function accountLetter(
  kind: AccountLetter,
  path: string,
  to: Addressee,
  { baseUrl, language: pageLanguage }: Circumstances,
  values: MessageValues = {},
): Letter {
  const language = to.language ?? pageLanguage
  const t = translatorOf(language)
  return {
    kind,
    to: to.email,
    isCapped: !to.isConfirmed && !ASKED_FOR.has(kind),
    personId: to.personId,
    language,
    subject: t(`letters.${kind}.subject`, values),
    paragraphs: [t(`letters.${kind}.text`, values), t(`letters.${kind}.else`, values)],
    action: { text: t(`letters.${kind}.action`), url: `${baseUrl}${path}` },
    footer: t('letters.footer', { host: new URL(baseUrl).host }),
  }
}
