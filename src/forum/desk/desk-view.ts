import type { Hiding } from '../../kernel/rights/visibility.ts'
import type { FormState } from '../../web/form.ts'
import type { PageLinks } from '../../web/pages.ts'
import type { Link } from '../../web/paths.ts'
import type { Byline } from '../authors/byline.ts'
import type { QuestionPage } from '../reading/show-page.ts'
import type { DeskViewName } from './views.ts'

export interface DeskIndex {
  readonly courses: readonly (Link & { readonly isArchived: boolean; readonly waitingCount: number })[]
}

export interface DeskPage extends PageLinks {
  readonly tabs: readonly DeskTab[]
  readonly order: 'longest' | 'newest'
  /** Nothing waits in an archived course. */
  readonly isArchived: boolean
  readonly lectures: readonly {
    readonly position: number
    readonly title: string
    readonly isCurrent: boolean
  }[]
  readonly path: string
  /** What a form that chooses a lecture keeps of the query. */
  readonly keptView: string | null
  /** What the form that answers keeps of it: where it stands in the queue. */
  readonly kept: readonly { readonly name: string; readonly value: string }[]
  readonly rows: readonly DeskRowView[]
  /** null: there is none. */
  readonly open: OpenQuestion | null
  /** The address names the open question: where there is room for one of the two, it is shown, else the queue. */
  readonly isChosen: boolean
  /** The queue alone, where one is in it. */
  readonly queuePath: string
  readonly livePath: string
  readonly savedPath: string
}

export interface DeskTab extends Link {
  readonly name: DeskViewName
  readonly isCurrent: boolean
  /** null: not counted. */
  readonly count: number | null
}

export interface DeskRowView {
  readonly id: number
  readonly path: string
  readonly title: string
  readonly lang: string | null
  /** How long it has waited, or until when it is put off, in words. */
  readonly wait: string
  /** The same without abbreviations. */
  readonly spokenWait: string
  /** It has waited for longer than the course promises. */
  readonly isHot: boolean
  readonly isPrivate: boolean
  /** Why only its author and staff see it; null: it is shown. */
  readonly hiding: Hiding | null
  readonly lecture: string | null
  readonly votesCount: number
  /** null: nobody has taken it. */
  readonly assignee: (Byline & { readonly isViewer: boolean }) | null
  /** A colleague has it open to answer it; null: nobody. */
  readonly answering: Byline | null
  readonly isOpen: boolean
}

export interface OpenQuestion {
  readonly row: DeskRowView
  readonly path: string
  readonly thread: QuestionPage
  /** "2 of 17"; null: of a view that nobody counts, or not in the view. */
  readonly position: string | null
  readonly previousPath: string | null
  readonly nextPath: string | null
  /** Where forms lead back to that keep it open. */
  readonly stayPath: string
  /** Where those lead that are done with it: the next question that no colleague has. */
  readonly onPath: string
  /** Questions of the course that were answered before and may be the same; none where it cannot be linked. */
  readonly closeTo: readonly {
    readonly id: number
    readonly title: string
    readonly lang: string | null
    readonly path: string
    /** The first lines of its answer. */
    readonly answer: string
  }[]
  readonly duplicatePath: string
  /** Where scripts say that the viewer is about to answer; null: there is nothing to answer. */
  readonly claimPath: string | null
  /** Where "no answer is needed" is posted; null: staff have said nothing yet, or nothing waits. */
  readonly donePath: string | null
  /** null: it is closed. */
  readonly resolutionPath: string | null
  /** What the time that it waits is about: for staff, for its asker, or for somebody to see what was written after the end. */
  readonly turn: 'waiting' | 'asker' | 'closed'
  /** Its asker has not answered staff for so long that closing it is offered. */
  readonly isGivenUp: boolean
  readonly assignment: AssignmentView | null
  readonly snoozePath: string | null
  readonly snoozes: readonly { readonly until: string; readonly text: string }[]
  readonly isSnoozed: boolean
  readonly answering: {
    readonly action: string
    /** As a draft of it names it: the same text goes on in the form on the question's page. */
    readonly draftPlace: string
    readonly form: FormState
    /** Which posts the form has seen: the newest ones of the thread above it. */
    readonly seen: string
    /** What somebody posted meanwhile, so that the form asks once more; null: nothing. */
    readonly newer: {
      readonly kind: 'answer' | 'reply'
      readonly author: string
      readonly text: string
      readonly path: string
    } | null
    readonly max: number
    readonly peoplePath: string
    readonly saved: readonly { readonly id: number; readonly title: string }[]
  } | null
}

export interface AssignmentView {
  readonly action: string
  /** Who has it, for the comparison: an id or ''. */
  readonly seen: string
  readonly isMine: boolean
  readonly isTaken: boolean
  readonly colleagues: readonly { readonly id: number; readonly name: string }[]
}

/** Somebody else was faster. */
export interface TakenPage {
  readonly name: string
  readonly questionTitle: string
  readonly backPath: string
  readonly assignment: { readonly action: string; readonly seen: string }
}
