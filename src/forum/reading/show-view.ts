import type { Hiding } from '../../kernel/rights/visibility.ts'
import type { Moment } from '../../text/moment.ts'
import type { FormState } from '../../web/form.ts'
import type { Byline } from '../authors/byline.ts'
import type { DecidedView } from '../handling/decided-posts.ts'
import type { Link } from './row.ts'

/** What somebody wrote, ready to show. `edit` and `delete` are paths, null for those who may not. */
export interface PostView {
  readonly id: number
  readonly html: string
  readonly lang: string | null
  /** Why only its author and staff see it; null: it is shown. */
  readonly hiding: Hiding | null
  /** Decisions about it, for its author and staff. */
  readonly decided: readonly DecidedView[]
  readonly author: Byline
  /** Names it beside a control: 'answer by Mara', 'question'. No two posts of a page have the same. */
  readonly label: string
  /** Of an answer or a reply, with what is known of it: 'Answer by Mara, instructor, accepted'. */
  readonly heading: string
  readonly isAsker: boolean
  readonly writtenAt: Moment
  readonly editedAt: Moment | null
  /** A word for who was here before it came; '' for all others. */
  readonly fresh: string
  /** What it said before; null for those who may not see that, and where nobody edited it. */
  readonly historyPath: string | null
  readonly editPath: string | null
  readonly deletePath: string | null
  /** The path to report it; null for its author. */
  readonly reportPath: string | null
  /** Says beside it that the viewer did; '' for all others. */
  readonly reported: string
  /** Where staff open a case about it themselves. */
  readonly openCasePath: string | null
  /** What an email had beside it, for its author; null: nothing. */
  readonly leftOut: LeftOutView | null
}

/** Lines of an email that weren't posted, and the edit that adds them. */
export interface LeftOutView {
  readonly count: number
  readonly text: string
  /** null for those who can't edit the post now. */
  readonly edit: { readonly action: string; readonly version: number; readonly body: string } | null
}

export interface VoteView {
  /** Of its element: signing in to vote leads back there. */
  readonly id: string
  readonly action: string
  readonly count: number
  readonly isVoted: boolean
  /**
   * 'vote': a form; 'own': nobody votes for their own, nor under a deleted question; 'closed': nor in an archived course;
   * 'sign-in': a link.
   */
  readonly kind: 'vote' | 'own' | 'closed' | 'sign-in'
  readonly signInPath: string
}

export interface ReplyFormView {
  readonly id: string
  /** Of the post that it replies to. */
  readonly label: string
  readonly action: string
  readonly to: string
  /** What it replies to is the viewer's own. */
  readonly isOwn: boolean
  /** The viewer asked the question, which is resolved: the reply may reopen it. */
  readonly reopens: boolean
  /** It can mark the question as resolved: its asker replies to someone while it is not. */
  readonly canResolve: boolean
  readonly form: FormState
  /** Characters that it may have. */
  readonly max: number
  /** Where those are asked for whom it can mention. */
  readonly peoplePath: string
  readonly anonymity: Anonymity | null
}

/** Whether a new post is hidden from classmates, unless its author says otherwise; null where nobody hides anything. */
export interface Anonymity {
  readonly isChecked: boolean
  /** Hiding the name was chosen, and can't be any more. */
  readonly isGone: boolean
}

/** What may be done about who reads a question. */
export interface AudienceActs {
  readonly action: string
  /** How its asker may open it: with the name, without it. */
  readonly openings: readonly ('named' | 'anonymously')[]
  readonly canWithdraw: boolean
  readonly isInPublic: boolean
  /** Posts that say the asker's name as text, which opening without the name doesn't change; their authors are the texts. */
  readonly typingName: readonly Link[]
}

export interface AnswerView extends PostView {
  readonly vote: VoteView
  readonly isAccepted: boolean
  /** Who of the staff says that it is correct; null: nobody. */
  readonly endorsedBy: string | null
  /** Where endorsing it, or taking that back, is posted; null for those who may not, and under what staff wrote. */
  readonly endorsementPath: string | null
  readonly permalink: string
  /** Where accepting it, or taking that back, is posted; null for those who may not. */
  readonly acceptancePath: string | null
  /** Accepting it is what the viewer should do next. */
  readonly isToAccept: boolean
  readonly replies: readonly PostView[]
  readonly replyForm: ReplyFormView | null
}

/** A deleted answer or reply, for those who may restore it, and for its author where a decision deleted it. */
export interface DeletedPostView {
  readonly kind: 'answer' | 'reply'
  readonly id: number
  readonly author: string
  /** Ready to show. */
  readonly deletedAt: string
  readonly html: string
  readonly lang: string | null
  readonly decided: readonly DecidedView[]
  /** null for those who may not restore it. */
  readonly restorePath: string | null
}

/** What staff may do with a question in its menu More: views/desk/_more.eta. */
export interface StaffActs {
  /** Of the question; the acts are below it. */
  readonly path: string
  /** Unresolved and no duplicate: it can wait for somebody. */
  readonly isOpen: boolean
  /** An id or '', for the comparison. */
  readonly assigneeId: string
  /** The name of who has taken it; null: nobody. */
  readonly assignee: string | null
  readonly isMine: boolean
  readonly isDuplicate: boolean
  readonly isPinned: boolean
  /** Days as a date field has them. */
  readonly tomorrow: string
  readonly inAWeek: string
}

export interface DuplicateView extends Link {
  readonly linkedBy: string
  readonly answersCount: number
  /** Where saying that it is none is posted; null for those who may not. */
  readonly undoPath: string | null
}

/** The lecture of a question on the way to it: "Lecture 12", and its title in a language of its own. */
export interface LectureCrumb extends Link {
  readonly before: string
  readonly lang: string
}
