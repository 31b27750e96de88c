import { Eta } from 'eta'
import type { Language } from '../database/schema.ts'
import { VIEWS } from '../web/views.ts'

/** A mail as its feature words it: ready sentences, and the one thing to do. */
export interface Letter {
  /** What it is about, for the admin's list and the log: 'password-reset'. */
  readonly kind: string
  /** An address as accounts/fields.ts takes it. */
  readonly to: string
  /** Whose account it is about: the mail goes with it. null: nobody's any more, and the mail goes as soon as it is sent. */
  readonly personId: number | null
  readonly language: Language
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** `url` begins with BASE_URL: a Host header is anybody's to write. */
  readonly action: { readonly text: string; readonly url: string }
  /** Why one gets this, and what if it is a mistake. */
  readonly footer: string
}

const eta = new Eta({ views: VIEWS, cache: true })

/** Both forms of a letter, saying the same. */
export function renderLetter(letter: Letter): { text: string; html: string } {
  return { text: textOf(letter), html: eta.render('/mail/letter', letter) }
}

/** "-- " begins what mail programs show as a signature (RFC 3676, 4.3). */
function textOf({ paragraphs, action, footer }: Letter): string {
  return `${[...paragraphs, `${action.text}:\n${action.url}`, `-- \n${footer}`].join('\n\n')}\n`
}
