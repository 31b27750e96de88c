import type { Person } from '../../../kernel/rights/person.ts'
import type { Translate } from '../../../messages/catalogue.ts'
import type { Piece } from '../../../text/changed-words.ts'
import type { Moment } from '../../../text/moment.ts'
import type { FormState } from '../../../web/form.ts'
import type { Byline } from '../../authors/byline.ts'
import type { Link } from '../../reading/row.ts'
import type { MeasureView } from '../measures.ts'

/** views/cases/show.eta */
export interface CasePage {
  readonly title: string
  readonly path: string
  readonly queue: Link
  readonly crumb: string
  readonly heading: string
  readonly isOpen: boolean
  readonly stateText: string
  readonly reason: string
  readonly wait: string
  readonly reportsText: string | null
  readonly decided: { readonly at: Moment; readonly by: string } | null
  /** A link to its subject; null: it is gone for good. */
  readonly thread: Link | null
  readonly claim: ClaimView | null
  readonly conflict: string | null
  readonly errors: readonly { readonly field: string; readonly text: string }[]
  readonly author: { readonly byline: Byline; readonly name: string } | null
  readonly evidence: readonly EvidenceView[]
  readonly presentText: string | null
  readonly reports: readonly ReportView[]
  readonly record: RecordView | null
  readonly history: readonly {
    readonly at: Moment
    readonly who: string | null
    readonly text: string
    readonly note: string
  }[]
  readonly measures: readonly MeasureView[]
  readonly objections: readonly ObjectionView[]
  /** The decision; empty while the case is open. */
  readonly decision: readonly { readonly label: string; readonly text: string }[]
  readonly form: DecideView | null
  readonly handover: { readonly to: 'admins' | 'course'; readonly form: FormState } | null
  /** The address that redacts it; null: not for this reader, or nothing is left. */
  readonly redactPath: string | null
  readonly redactionGrounds: readonly string[]
  readonly redaction: FormState
  /** The text typed to lift a measure that could not be lifted so; null: nothing. */
  readonly lifting: { readonly measureId: number | null; readonly form: FormState } | null
}

export interface ClaimView {
  readonly isMine: boolean
  readonly byline: Byline | null
  readonly name: string
  readonly until: Moment | null
}

export interface EvidenceView {
  readonly heading: string
  readonly at: Moment | null
  /** null: redacted. */
  readonly html: string | null
  /** The admin’s note about a redaction; empty: none. */
  readonly removedWhy: string
  readonly lang: string | null
  readonly title: string | null
  /** The changes since it was reported; null: shown in whole. */
  readonly pieces: readonly Piece[] | null
}

export interface ReportView {
  readonly byline: Byline | null
  readonly name: string
  readonly reason: string
  readonly at: Moment
  readonly isAboutLater: boolean
  readonly note: string
}

export interface RecordView {
  readonly title: string
  readonly joinedAt: Moment | null
  readonly upheld: number
  readonly declined: number
  readonly measures: number
  readonly objections: number
  readonly entries: readonly (MeasureView & {
    readonly by: string
    readonly casePath: string
    readonly rule: string
  })[]
}

export interface ObjectionView {
  readonly measureId: number
  readonly title: string
  readonly at: Moment
  readonly note: string
  /** null: it waits. */
  readonly answered: { readonly text: string; readonly answer: string } | null
  /** The viewer may answer it: somebody else decided, or there is nobody else. */
  readonly canAnswer: boolean
  readonly action: string
  /** The address that passes it on to the admins; null: someone in the course can answer it, or it is theirs. */
  readonly handoverPath: string | null
  readonly form: FormState
}

export interface DecideView {
  readonly action: string
  readonly version: number
  readonly form: FormState
  /** The decisions that are one press each. */
  readonly quick: readonly {
    readonly value: string
    readonly icon: string
    readonly text: string
    readonly hint: string
  }[]
  /** Something under "More" was chosen, typed or refused. */
  readonly isMoreOpen: boolean
  readonly measures: readonly {
    readonly value: string
    readonly label: string
    readonly isChecked: boolean
  }[]
  /** Rules by their headings, of the course and of the forum; none: it is a line of text. */
  readonly rules: readonly {
    readonly label: string
    readonly options: readonly { readonly value: string; readonly text: string; readonly selected: boolean }[]
  }[]
  readonly canSuspend: boolean
  readonly suspends: boolean
  readonly lengths: readonly { readonly value: string; readonly text: string; readonly isChosen: boolean }[]
  readonly canEverywhere: boolean
  readonly isEverywhere: boolean
  readonly noteLabel: string
}

export interface SentToCase {
  readonly of: 'decision' | 'handover' | 'redaction' | 'lifting' | 'objection' | 'passing'
  readonly form: FormState
  /** Somebody else was faster, or something came that the form had not seen. */
  readonly isConflict: boolean
  /** The measure that the form was about; null: the case. */
  readonly measureId: number | null
  readonly status: number
}

export interface CaseLook {
  readonly t: Translate
  readonly viewer: Person
  readonly timeZone: string
  readonly now: Date
}
