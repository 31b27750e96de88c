import { may, type PostAct, placeOf, seesNames, type Written } from '../../kernel/rights/rights.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { languageOfPost } from '../../text/language.ts'
import { dayOf, type Moment, momentOf } from '../../text/moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import type { OwnText } from '../../web/own-parts.ts'
import type { PageContext } from '../../web/page.ts'
import { mentionablePath, questionPath, signInPath } from '../../web/paths.ts'
import { type AuthorRow, type Badge, type Byline, badgeOf, bylineOf, inCourse } from '../authors/byline.ts'
import {
  type DecidedPost,
  type DecidedView,
  decidedView,
  isKeptForAuthor,
} from '../handling/decided-posts.ts'
import { spammerPath } from '../handling/spammer-path.ts'
import { takesReplies } from '../posts/closing.ts'
import { REPLY_BODY } from '../posts/form.ts'
import { heldActs } from '../posts/held-acts.ts'
import { mayHide } from '../questions/audience.ts'
import type { DeletedNode } from './deleted-posts.ts'
import { type AnswerNode, courseOf, type QuestionTree, type ReplyNode } from './tree.ts'

export type ShownNode = QuestionTree | AnswerNode | ReplyNode

/** What somebody wrote, ready to show. */
export type PostView = ReturnType<PostViews['post']>
export type VoteView = ReturnType<PostViews['vote']>
export type ReplyFormView = NonNullable<ReturnType<PostViews['replyForm']>>

function answerStateOf(answer: AnswerNode, tree: QuestionTree) {
  const [isAccepted, isEndorsed] = [answer.id === tree.accepted_answer_id, answer.endorsed_by !== null]
  if (isAccepted) return isEndorsed ? 'both' : 'accepted'
  return isEndorsed ? 'endorsed' : 'none'
}

export interface OpenForm {
  /** 'answer', 'reply-question' or 'reply-answer-12'. */
  readonly id: string
  readonly form: FormState
  /** Lines of code in it, of which its writer is asked whether they give away an assignment. */
  readonly codeLines?: number
}

/** A tree with the decisions about its posts that its reader is told. */
export interface DecidedTree extends QuestionTree {
  /** Left out: none is told there. */
  readonly decisions?: readonly DecidedPost[]
}

/** Makes the parts of a question's page that its question, answers and replies share, for one reader. */
export class PostViews {
  readonly t: Translate
  readonly timeZone: string
  readonly viewer: PageContext['viewer']
  private readonly tree: DecidedTree
  private readonly open: OpenForm | null
  private readonly own: OwnText
  /** Of posts, as they were named in the order of the page. */
  private readonly labels = new Map<ShownNode, string>()
  private readonly named = new Map<string, number>()

  constructor(
    { t, viewer }: Pick<PageContext, 't' | 'viewer'>,
    tree: DecidedTree,
    open: OpenForm | null,
    own: OwnText = () => '',
  ) {
    this.own = own
    this.viewer = viewer
    this.tree = tree
    this.open = open
    this.t = t
    this.timeZone = viewer?.timeZone ?? tree.time_zone
  }

  /** The replies under an answer; null: under the question. */
  repliesTo(answerId: number | null) {
    return this.tree.replies
      .filter((reply) => reply.answer_id === answerId)
      .map((reply) => {
        const writtenAt = this.withOrigin(reply, dayOf(new Date(reply.written_at), this.timeZone))
        return { ...this.post(reply, `/replies/${reply.id}`), writtenAt }
      })
  }

  /** What questions, answers and replies have in common. Paths are null for those who may not. */
  post(node: ShownNode, path: string) {
    const author = this.bylineOf(node)
    const badge = badgeOf(author, node)
    const names = this.namesOf(node, author.text, badge)
    return {
      id: node.id,
      ...names,
      heldActs: this.heldActs(node, path, names.label),
      html: node.body_html,
      // Why only its author and staff see it; null: it is shown.
      hiding: node.hiding,
      heldFor: node.held_for,
      decided: this.decidedOn(node),
      lang: languageOfPost(node.body_html) ?? this.tree.language,
      author,
      badge,
      isAsker: this.isToldAsAsker(node),
      writtenAt: this.withOrigin(node, momentOf(new Date(node.written_at), this.timeZone)),
      editedAt: node.edited_at === null ? null : momentOf(new Date(node.edited_at), this.timeZone),
      // A word for who was here before it came; '' for all others.
      fresh: this.own(
        `fresh.${this.tree.id}.${momentIn(node)}.${node.author_id}.${this.tree.author_id}-${momentIn(this.tree)}`,
      ),
      historyPath: node.has_versions && this.may('see-history', node) ? `${path}/history` : null,
      editPath: this.may('edit', node) ? `${path}/edit` : null,
      deletePath: this.may('delete', node) ? `${path}/delete` : null,
      reportPath: this.may('report', node) ? `${path}/reports` : null,
      // Says beside it that the viewer did; '' for all others.
      reported: this.own(`reported${path.replaceAll('/', '.')}`),
      convertPath: kindOf(node) !== 'question' && this.may('convert', node) ? `${path}/conversion` : null,
      anchors: this.anchorsOf(node),
      openCasePath: this.may('open-case', node) ? `${path}/cases` : null,
      leftOut: 'left_out' in node ? this.leftOut(node, path) : null,
    }
  }

  /**
   * To be asked once for each post, in the order of the page. `label` names it beside a control: 'answer by Mara', 'question'; no two
   * posts of a page have the same. `heading`, of an answer or a reply, says what is known of it: 'Answer by Mara, instructor, accepted'.
   */
  private namesOf(node: ShownNode, text: string, badge: Badge) {
    const { t } = this
    const kind = kindOf(node)
    const number = (this.named.get(`${kind} ${text}`) ?? 0) + 1
    this.named.set(`${kind} ${text}`, number)
    const name = number === 1 ? text : t('posts.label.again', { name: text, number })
    const label = kind === 'question' ? t('posts.label.question') : t(`posts.label.${kind}`, { name })
    this.labels.set(node, label)
    const role = badge ?? 'none'
    if ('endorsed_by' in node)
      return { label, heading: t('answers.heading', { name, role, state: answerStateOf(node, this.tree) }) }
    return { label, heading: kind === 'reply' ? t('replies.heading', { name, role }) : '' }
  }

  /** A time of a post, with where it was imported from. */
  withOrigin({ imported_from: source }: ShownNode, moment: Moment): Moment {
    return source === null ? moment : { ...moment, origin: this.t('posts.imported', { source }) }
  }

  /** Elements that a post was before: 'reply-7'. */
  private anchorsOf(node: ShownNode): string[] {
    const kind = kindOf(node)
    if (kind === 'question') return []
    return this.tree.conversions
      .filter((one) => (kind === 'answer' ? one.answer_id : one.reply_id) === node.id)
      .map(({ from_kind, from_id }) => `${from_kind}-${from_id}`)
  }

  /** The decisions about a post that the viewer is told. */
  decidedOn(node: ShownNode | DeletedNode): DecidedView[] {
    const { t } = this
    return this.decisionsOn(node).map((decision) => decidedView(t, decision, this.timeZone))
  }

  /** Whether the viewer wrote it, and still reads it although a decision deleted it. */
  isKept(node: ShownNode | DeletedNode): boolean {
    return this.decisionsOn(node).some(isKeptForAuthor)
  }

  private decisionsOn(node: ShownNode | DeletedNode): DecidedPost[] {
    const element = `${kindOf(node)}-${node.id}`
    return (this.tree.decisions ?? []).filter(({ subject }) => subject === element)
  }

  /** No admin's post is held. */
  private heldActs(node: ShownNode, path: string, what: string) {
    if (node.hiding !== 'held' || !this.may('release', node)) return null
    const author = { id: node.author_id, role: node.author_role, isAdmin: false }
    const { course_id: id, course_slug: slug } = this.tree
    return heldActs(path, what, null, spammerPath(this.viewer, author, { id, slug }, null))
  }

  /** Lines of an email that weren't posted, for its author, and the edit that adds them, where they can edit the post now. */
  private leftOut(node: AnswerNode | ReplyNode, path: string) {
    if (node.left_out === null) return null
    const { text, body, version } = node.left_out
    const edit = { action: `${path}/edit`, version, body: `${body}\n\n${text}` }
    const count = text.split('\n').filter((line) => line.trim() !== '').length
    return { count, text, edit: this.may('edit', node) ? edit : null }
  }

  bylineOf(author: AuthorRow): Byline {
    const { t, viewer } = this
    const byline = inCourse(bylineOf({ t, viewer }, author, this.tree.course_id), this.tree.course_slug)
    const isOwnMask = byline.path === null && viewer?.id === author.author_id
    return isOwnMask ? { ...byline, text: t('anonymous.you', { name: byline.text }) } : byline
  }

  /**
   * `kind`: 'vote' is a form; 'own': nobody votes for their own, nor under a deleted question; 'closed': nor in an archived course;
   * 'sign-in': a link.
   * @param id of its element: signing in to vote leads back there
   */
  vote(node: QuestionTree | AnswerNode, action: string, id: string) {
    const mine = this.may('vote', node) ? 'vote' : 'own'
    const kind: 'vote' | 'own' | 'sign-in' = this.viewer !== null ? mine : 'sign-in'
    return {
      id,
      action,
      count: node.votes_count,
      isVoted: Boolean(node.is_voted),
      kind: this.tree.archived_at === null ? kind : 'closed',
      signInPath: signInPath(`${questionPath(this.tree)}#${id}`),
    }
  }

  /** The form for one more reply; null for those who may not. */
  replyForm(id: string, action: string, node: QuestionTree | AnswerNode) {
    const isOpen = takesReplies(this.tree.closing_reason) || this.may('close', this.tree)
    if (!isOpen || !this.may('reply', node)) return null
    return {
      id,
      label: this.labels.get(node) ?? '',
      action,
      to: this.bylineOf(node).text,
      isOwn: this.isOwn(node),
      // The viewer asked the question, which is resolved: the reply may reopen it.
      reopens: this.isOwn(this.tree) && this.tree.status === 'resolved' && this.may('resolve', this.tree),
      // Its asker replies to someone while it is not: the reply can mark it as resolved.
      canResolve: !this.isOwn(node) && this.isOwn(this.tree) && this.isOpen && this.may('resolve', this.tree),
      form: this.formOf(id),
      max: REPLY_BODY.max,
      peoplePath: mentionablePath(this.tree.id),
      anonymity: this.anonymityOf(id),
    }
  }

  /** Neither resolved, a duplicate nor closed by staff: it can wait for somebody. */
  get isOpen(): boolean {
    const { status, duplicate_of: original, closing_reason: closing } = this.tree
    return status === 'unresolved' && original === null && closing === null
  }

  /** Whether the viewer wrote it. */
  isOwn(node: QuestionTree | AnswerNode): boolean {
    return this.viewer?.id === node.author_id
  }

  /** Of the answer that is asked about: OpenForm. */
  get codeLines(): number | null {
    return this.open?.codeLines ?? null
  }

  formOf(id: string): FormState {
    return this.open?.id === id ? this.open.form : freshForm()
  }

  /** Whether the viewer may post without the name here: learners, where the course says so. */
  get mayHide(): boolean {
    const { allows_anonymous: allowsAnonymous, course_id: id } = this.tree
    return this.viewer !== null && mayHide(this.viewer, { id, allowsAnonymous })
  }

  /**
   * Whoever has posted without the name in this thread goes on so, unless they say otherwise; null where
   * nobody hides anything. `isGone`: hiding the name was chosen, and can't be any more.
   */
  anonymityOf(formId: string) {
    const { typed } = this.formOf(formId)
    if (!this.mayHide) return typed.anonymous === '1' ? { isChecked: true, isGone: true } : null
    const posts = [this.tree, ...this.tree.answers, ...this.tree.replies, ...this.tree.deleted_posts]
    const wasAnonymous = posts.some((post) => post.is_anonymous && post.author_id === this.viewer?.id)
    const isChecked = typed.anonymous === undefined ? wasAnonymous : typed.anonymous === '1'
    return { isChecked, isGone: false }
  }

  /** Whether the viewer may do that with the question, or with an answer or a reply of it. */
  may(act: PostAct, node: ShownNode | DeletedNode): boolean {
    return may(this.viewer, act, this.written(node))
  }

  /**
   * Whether the viewer is told that who wrote it is who asked. Of a post under a name and one without, that
   * would tell whose the other is.
   */
  private isToldAsAsker(node: ShownNode): boolean {
    if (node.author_id !== this.tree.author_id) return false
    return node.is_anonymous === this.tree.is_anonymous || seesNames(this.viewer, this.tree.course_id)
  }

  private written(node: ShownNode | DeletedNode): Written {
    return {
      ...placeOf(courseOf(this.tree)),
      authorId: node.author_id,
      askerId: this.tree.author_id,
      audience: this.tree.audience,
      isDeleted: 'deleted_at' in node && node.deleted_at !== null,
      isUndoable: 'is_undoable' in node && node.is_undoable,
      isOrphan: this.tree.deleted_at !== null,
      isBuried: false,
      isPurged: false,
      hiddenAuthors: this.hiddenAuthors(node),
    }
  }

  /** Authors of the hidden or held posts among a post and those above it. */
  private hiddenAuthors(node: ShownNode | DeletedNode): number[] {
    const answerId = 'answer_id' in node ? node.answer_id : null
    const posts = [this.tree, this.tree.answers.find(({ id }) => id === answerId), node]
    return posts.flatMap((post) => (post === undefined || post.hiding === null ? [] : [post.author_id]))
  }
}

export function kindOf(node: ShownNode | DeletedNode): 'question' | 'answer' | 'reply' {
  if ('kind' in node) return node.kind
  return 'accepted_answer_id' in node ? 'question' : 'answer_id' in node ? 'reply' : 'answer'
}

/** When a post was written, in milliseconds. */
export const momentIn = ({ written_at }: { readonly written_at: Date | string }) =>
  new Date(written_at).getTime()
