import type { Translate } from '../../messages/catalogue.ts'
import type { Person } from '../../rights/person.ts'
import type { FormState } from '../../web/form.ts'

/** A refused form of the page. */
export interface SentToCase {
  readonly of: 'decision' | 'handover' | 'redaction' | 'lifting' | 'objection' | 'passing'
  readonly form: FormState
  /** Somebody else was faster, or something came that the form had not seen. */
  readonly isConflict: boolean
  /** The measure that the form was about; null: the case. */
  readonly measureId: number | null
  readonly status: number
}

/** For what is shown: who looks, in which words, zone and moment. */
export interface CaseLook {
  readonly t: Translate
  readonly viewer: Person
  readonly timeZone: string
  readonly now: Date
}
