import { join } from 'node:path'
import { Eta } from 'eta'
import type { Language } from '../database/schema.ts'
import { WITHOUT_INDENT } from '../text/template-lines.ts'

/** Translated sentences, and one action. */
export interface Letter {
  /** Its kind, for the admin's list and the log: 'password-reset'. */
  readonly kind: string
  /** An address validated by accounts/identity/fields.ts. */
  readonly to: string
  /**
   * The account that it is about: the mail is deleted with it. null: none, and the mail is deleted once it is
   * sent.
   */
  readonly personId: number | null
  /** Whether the mailbox may be a stranger's, for whom such mail is rate limited: write-mail.ts. */
  readonly isCapped: boolean
  readonly language: Language
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** What it lists, each with its link. */
  readonly items?: readonly { readonly text: string; readonly url: string }[]
  /** `url` starts with BASE_URL, because a client controls its Host header. */
  readonly action: { readonly text: string; readonly url: string }
  /** Why the recipient gets this, and what to do if it is a mistake. */
  readonly footer: string
}

/** A letter, whoever gets it. */
type Rendered = Omit<Letter, 'to' | 'personId' | 'isCapped'>

export function renderLetter(letter: Rendered): { text: string; html: string } {
  return { text: textOf(letter), html: mailViews.render('/mail/letter', letter) }
}

/** "-- " starts a signature in mail programs (RFC 3676, 4.3). */
function textOf({ paragraphs, items = [], action, footer }: Rendered): string {
  const links = [...items, action].map(({ text, url }) => `${text}:\n${url}`)
  return `${[...paragraphs, ...links, `-- \n${footer}`].join('\n\n')}\n`
}

/** The templates of mails, which no app renders: jobs and commands write mails, too. */
export const mailViews: Eta = new Eta({
  views: join(import.meta.dirname, '../../views'),
  cache: true,
  plugins: [WITHOUT_INDENT],
})
