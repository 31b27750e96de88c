import type { RelatedQuestion } from '../search/related.ts'
import type { FormState } from '../web/form.ts'
import type { Link, Moment } from './row.ts'

/** What somebody wrote, ready to show. `edit` and `delete` are paths, null for those who may not. */
export interface PostView {
  readonly id: number
  readonly html: string
  readonly lang: string | null
  readonly author: Link & { readonly initials: string }
  readonly role: 'instructor' | 'assistant' | null
  readonly isAsker: boolean
  readonly writtenAt: Moment
  readonly editedAt: Moment | null
  readonly editPath: string | null
  readonly deletePath: string | null
}

export interface VoteView {
  readonly action: string
  readonly count: number
  readonly isVoted: boolean
  /** 'vote': a form; 'own': nobody votes for their own, nor under a deleted question; 'sign-in': a link. */
  readonly kind: 'vote' | 'own' | 'sign-in'
  readonly signInPath: string
}

export interface ReplyFormView {
  readonly id: string
  readonly action: string
  readonly to: string
  readonly form: FormState
}

export interface AnswerView extends PostView {
  readonly vote: VoteView
  readonly isAccepted: boolean
  readonly permalink: string
  /** Where accepting it, or taking that back, is posted; null for those who may not. */
  readonly acceptancePath: string | null
  readonly replies: readonly PostView[]
  readonly replyForm: ReplyFormView | null
}

export interface QuestionPage {
  readonly title: string
  readonly description: string
  readonly question: PostView & {
    readonly title: string
    readonly titleLang: string | null
    readonly vote: VoteView
    readonly isResolved: boolean
    readonly viewsCount: number
    readonly authorQuestionsCount: number
    readonly tags: readonly { readonly name: string; readonly path: string }[]
    readonly lecture: Link | null
    readonly resolutionPath: string | null
    readonly replies: readonly PostView[]
    readonly replyForm: ReplyFormView | null
  }
  readonly course: Link & { readonly slug: string; readonly field: string; readonly category: string }
  readonly answers: readonly AnswerView[]
  readonly answerSorts: readonly {
    readonly text: string
    readonly path: string
    readonly isCurrent: boolean
  }[]
  readonly answerForm: { readonly action: string; readonly form: FormState } | null
  readonly signInPath: string
  readonly following: { readonly action: string | null; readonly count: number; readonly isFollowed: boolean }
  /** Where the page hears of new answers. */
  readonly livePath: string
  readonly related: readonly RelatedQuestion[]
}
