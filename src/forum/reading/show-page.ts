import { answerVote, QUESTION_VOTE } from '../../accounts/sign-in/sign-in-page.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { isoDay } from '../../text/dates.ts'
import { languageIn, languageOfPost } from '../../text/language.ts'
import { showMentions } from '../../text/mentions.ts'
import { momentOf } from '../../text/moment.ts'
import { tellsAuthor } from '../../text/own-name.ts'
import { excerpt, plainText } from '../../text/plain.ts'
import { liveStateOf, type QuestionState } from '../../text/question-state.ts'
import { freshForm } from '../../web/form.ts'
import { formFieldsIn } from '../../web/form-fields.ts'
import type { OwnText } from '../../web/own-parts.ts'
import type { PageContext } from '../../web/page.ts'
import { coursePath, mentionablePath, pathWith, questionPath, signInPath, tagPath } from '../../web/paths.ts'
import { DEFAULT_CATEGORY } from '../courses/commands.ts'
import { CLOSING_FIELDS, takesReplies } from '../posts/closing.ts'
import { POST_BODY } from '../posts/form.ts'
import { TABLES } from '../posts/kinds.ts'
import type { RelatedQuestion } from '../search/similar/related.ts'
import type { DeletedNode } from './deleted-posts.ts'
import { type DecidedTree, kindOf, momentIn, type OpenForm, PostViews, type ShownNode } from './post-views.ts'
import { ANSWER_SORTS, type AnswerNode, type AnswerSort, type QuestionTree } from './tree.ts'

export interface ShownTree extends DecidedTree {
  /** Posts that say the asker's name, for the asker of a private question. */
  readonly typingName: readonly ShownNode[]
}

export type AnswerView = ReturnType<typeof answerView>
export type DeletedPostView = ReturnType<typeof deletedPostViews>[number]
export type DuplicateView = NonNullable<ReturnType<typeof duplicateView>>

export type QuestionPage = ReturnType<typeof questionPage>

/** Everything the question page shows, for one reader. */
export function questionPage(
  context: Pick<PageContext, 't' | 'viewer'>,
  tree: ShownTree,
  sort: AnswerSort,
  open: OpenForm | null,
  related: readonly RelatedQuestion[],
  own: OwnText = () => '',
) {
  const { t } = context
  const views = new PostViews(context, tree, open, own)
  const path = questionPath(tree)
  const isDefault = tree.category_slug === DEFAULT_CATEGORY.slug
  return {
    title: tree.title,
    path,
    description: excerpt(tree.body_html, 200),
    question: questionView(t, views, tree),
    course: {
      text: tree.course_title,
      path: coursePath(tree.course_slug),
      slug: tree.course_slug,
      field: tree.field,
      category: isDefault ? t('questions.category.default') : tree.category_name,
    },
    answers: tree.answers.map((answer) => answerView(views, tree, answer)),
    deletedPosts: deletedPostViews(views, tree.deleted_posts),
    answerSorts: ANSWER_SORTS.map((name) => ({
      text: t(`answers.sort.${name}`),
      path: `${pathWith(path, { answers: name === 'votes' ? null : name })}#answers`,
      isCurrent: name === sort,
    })),
    answerForm:
      views.may('answer', tree) && !isClosedTo(views, tree)
        ? {
            ...{ action: `/questions/${tree.id}/answers`, form: views.formOf('answer'), max: POST_BODY.max },
            courseId: tree.course_id,
            questionId: tree.id,
            agentDraftPath: `/questions/${tree.id}/agent-draft`,
            peoplePath: mentionablePath(tree.id),
            anonymity: views.anonymityOf('answer'),
            // Answering one's own question is rare, and folded.
            isOwn: views.isOwn(tree),
            codeLines: views.codeLines,
          }
        : null,
    closedText: closedText(t, views, tree),
    signInPath: signInPath(`${path}#answer`),
    following: {
      // null for those who may not.
      action: views.may('follow', tree) ? `/questions/${tree.id}/following` : null,
      // Others than its author; null where a post is or was anonymous: tree.ts.
      count: tree.follows_count,
      isFollowed: tree.follow_level === 'follow',
      isMuted: tree.follow_level === 'mute',
      isOwn: views.isOwn(tree),
    },
    reading: readingView(views, tree, own),
    livePath: `/live/questions/${tree.id}`,
    liveState: liveStateOf(tree),
    related,
  }
}

/** Staff answer what they closed. */
const isClosedTo = (views: PostViews, tree: QuestionTree) =>
  tree.answers_closed_at !== null && !views.may('close', tree)

/** Why staff closed it; a measure says that itself. `openPath`: null for those who may not open it again. */
function closingView(views: PostViews, tree: QuestionTree) {
  if (tree.closing_reason === null) return null
  return {
    reason: views.t(`closing.reason.${tree.closing_reason}`),
    takesReplies: takesReplies(tree.closing_reason),
    openPath: views.may('close', tree) ? `/questions/${tree.id}/closing` : null,
  }
}

function closedText(t: Translate, views: PostViews, tree: QuestionTree): string | null {
  if (tree.archived_at !== null) return t('answers.form.archived')
  if (isClosedTo(views, tree)) return t('answers.form.closed')
  if (tree.hiding !== null) return t(`answers.form.${tree.hiding}`)
  return views.viewer !== null && !views.may('answer', tree) ? t('answers.form.membersOnly') : null
}

/** Too many would make the page's slot long: these are the latest. */
const MAX_NEWS = 200

/** How much is new since the viewer was here ('': nothing), and up to when they read by opening the page; null for visitors. */
function readingView(views: PostViews, tree: QuestionTree, own: OwnText) {
  if (views.viewer === null) return null
  const nodes = [tree, ...tree.answers, ...tree.replies]
  const posts = nodes.map((post) => ({ at: momentIn(post), author: post.author_id }))
  const latest = posts.toSorted((one, other) => other.at - one.at).slice(0, MAX_NEWS)
  return {
    action: `/questions/${tree.id}/reading`,
    // An edit may mention the viewer.
    until: Math.max(latest[0]?.at ?? 0, ...nodes.map(({ edited_at }) => new Date(edited_at ?? 0).getTime())),
    text: own(`since.${tree.id}.${latest.map(({ at, author }) => `${at}-${author}`).join('.')}`),
  }
}

/** Paths are null for those who may not; the number of the author's questions where the viewer may not know who asked. */
function questionView(t: Translate, views: PostViews, tree: ShownTree) {
  const isDeleted = tree.deleted_at !== null
  const isPrivate = tree.audience === 'staff'
  const asked: QuestionState = tree.answers_count === 0 ? 'waiting' : 'answered'
  const state: QuestionState = tree.status === 'resolved' ? 'resolved' : asked
  return {
    ...views.post(tree, `/questions/${tree.id}`),
    writtenAt: views.withOrigin(tree, momentOf(tree.written_at, views.timeZone)),
    title: tree.title,
    titleLang: languageIn(tree.language, tree.title),
    isOwn: views.isOwn(tree),
    vote: views.vote(tree, `/questions/${tree.id}/votes`, QUESTION_VOTE),
    isResolved: tree.status === 'resolved',
    state,
    viewsCount: tree.views_count,
    authorQuestionsCount: views.bylineOf(tree).path === null ? null : tree.questions_count,
    isPrivate,
    audience: audienceActs(views, tree),
    // Nobody else may have the tags of a private question.
    tags: tree.tags.map(({ name }) => ({ name, path: isPrivate || tree.hiding ? null : tagPath(name) })),
    lecture: lectureCrumb(t, tree),
    copiedFrom: tree.copied_from === null ? null : t('questions.copiedFrom', { course: tree.copied_from }),
    resolutionPath: views.may('resolve', tree) ? `/questions/${tree.id}/resolution` : null,
    restorePath:
      isDeleted && tree.purged_at === null && views.may('restore', tree)
        ? `/questions/${tree.id}/restoration`
        : null,
    replies: views.repliesTo(null),
    replyForm: views.replyForm('reply-question', `/questions/${tree.id}/replies`, tree),
    staff: staffActs(views, tree),
    duplicate: duplicateView(views, tree),
    closing: closingView(views, tree),
  }
}

/** The lecture of a question on the way to it: "Lecture 12", and its title in a language of its own. */
function lectureCrumb(t: Translate, tree: QuestionTree) {
  const { lecture_position: position, lecture_title: title } = tree
  if (position === null || title === null) return null
  return {
    before: t('lectures.edit.title', { position }),
    text: title,
    lang: languageIn(tree.language, title),
    path: pathWith(coursePath(tree.course_slug), { lecture: position }),
  }
}

function duplicateView(views: PostViews, tree: QuestionTree) {
  const { original_id: id, original_title: title } = tree
  if (id === null || title === null) return null
  return {
    text: title,
    path: questionPath({ id, title }),
    // null: nobody here, as an import doesn’t say who.
    linkedBy: tree.linker_name,
    answersCount: tree.original_answers ?? 0,
    // Where saying that it is none is posted.
    undoPath: views.may('unlink', tree) ? `/questions/${tree.id}/duplicate` : null,
  }
}

const isStaff = (role: AnswerNode['author_role']) => role !== null && role !== 'learner'

/** What may be done about who reads a question. */
function audienceActs(views: PostViews, tree: ShownTree) {
  const isPrivate = tree.audience === 'staff'
  const isHidden = tree.is_anonymous || (!tree.was_open && views.mayHide)
  const canOpen = isPrivate && !tree.is_kept_private && views.may('open', tree)
  const canWithdraw = !isPrivate && views.may('withdraw', tree) && (tree.allows_private || !views.isOwn(tree))
  return {
    action: `/questions/${tree.id}/audience`,
    // How its asker may open it: with the name, without it.
    openings: !canOpen ? [] : isHidden ? ['named', 'anonymously'] : ['named'],
    // Posts that say the asker's name as text, which opening without the name doesn't change; their authors are the texts.
    typingName: !canOpen || !isHidden ? [] : tree.typingName.map((post) => namingLink(views, post)),
    canWithdraw,
    isInPublic: tree.is_public,
  }
}

function namingLink(views: PostViews, post: ShownNode) {
  const kind = kindOf(post)
  return { text: views.bylineOf(post).text, path: kind === 'question' ? '#question' : `#${kind}-${post.id}` }
}

/** Answers among which a filled button each leads the asker on: of more, none stands out. */
const MOST_TO_CHOOSE_FROM = 3

/** Paths are null for those who may not. */
function answerView(views: PostViews, tree: QuestionTree, answer: AnswerNode) {
  const path = `/answers/${answer.id}`
  const permalink = `${questionPath(tree)}#answer-${answer.id}`
  const mayAccept = views.may('accept', answer)
  return {
    ...views.post(answer, path),
    vote: views.vote(answer, `${path}/votes`, answerVote(answer.id)),
    isAccepted: answer.id === tree.accepted_answer_id,
    // Who of the staff says that it is correct; null: nobody.
    endorsedBy: answer.endorser_name,
    endorsementPath:
      views.may('endorse', answer) && (answer.endorsed_by !== null || !isStaff(answer.author_role))
        ? `${path}/endorsement`
        : null,
    permalink,
    acceptancePath: mayAccept ? `${path}/acceptance` : null,
    // Accepting it is what the viewer should do next.
    isToAccept:
      mayAccept &&
      views.isOwn(tree) &&
      tree.status === 'unresolved' &&
      tree.answers.length <= MOST_TO_CHOOSE_FROM,
    replies: views.repliesTo(answer.id),
    replyForm: views.replyForm(`reply-answer-${answer.id}`, `${path}/replies`, answer),
  }
}

const DAY_MS = 24 * 3_600_000

/** Small forms that the menu More opens: a name, which is the last word of its address, and its controls. Several stand on the page. */
function staffDialogs(views: PostViews, tree: QuestionTree) {
  const { t } = views
  const dayAfter = (days: number) => isoDay(new Date(Date.now() + days * DAY_MS), views.timeZone)
  const ofOne = (name: string, field: string, type: 'date' | 'text', value: string) => {
    const labelled = { name: field, id: `${name}-${field}`, label: t(`desk.${name}.label`) }
    return {
      name,
      rows: [{ control: 'field', ...labelled, type, value, required: true, autofocus: true }] as const,
    }
  }
  const { reason, duplicate } = formFieldsIn(t)('closing', CLOSING_FIELDS, freshForm(), {
    reason: { id: 'closing-reason' },
    duplicate: { id: 'closing-duplicate' },
  })
  return [
    ...(views.isOpen ? [ofOne('snooze', 'until', 'date', dayAfter(1))] : []),
    ...(tree.duplicate_of === null ? [ofOne('duplicate', 'of', 'text', '')] : []),
    ...(tree.is_pinned ? [] : [ofOne('pin', 'until', 'date', dayAfter(7))]),
    ...(tree.closing_reason === null ? [{ name: 'closing', rows: [reason, duplicate] }] : []),
  ]
}

/** What staff may do with a question in its menu More; null: the viewer may do none of it. */
function staffActs(views: PostViews, tree: QuestionTree) {
  if (!views.may('assign', tree)) return null
  return {
    path: `/questions/${tree.id}`,
    isOpen: views.isOpen,
    assigneeId: tree.assignee_id === null ? '' : String(tree.assignee_id),
    assignee: tree.assignee_name,
    isMine: tree.assignee_id !== null && views.viewer?.id === tree.assignee_id,
    isDuplicate: tree.duplicate_of !== null,
    isClosed: tree.closing_reason !== null,
    isPinned: tree.is_pinned,
    dialogs: staffDialogs(views, tree),
  }
}

/** Those that the viewer may restore, and those of their own that a decision deleted, ready to show. */
function deletedPostViews(views: PostViews, posts: readonly DeletedNode[]) {
  const mayRestore = (post: DeletedNode) => views.may('restore', post)
  return posts
    .filter((post) => mayRestore(post) || views.isKept(post))
    .map((post) => ({
      kind: post.kind,
      id: post.id,
      author: views.bylineOf(post).text,
      deletedAt: writtenMoment(new Date(post.deleted_at), views.timeZone, views.t).text,
      html: post.body_html,
      lang: languageOfPost(post.body_html),
      decided: views.decidedOn(post),
      restorePath: mayRestore(post) ? `/${TABLES[post.kind]}/${post.id}/restoration` : null,
    }))
}

/**
 * Posts of a private question in which somebody typed the asker's name or address as text: unlike mentions (posts/rewritten-text.ts) it stays
 * where it is when the question opens anonymously, as only people can tell whom it means. For the asker, who may open it.
 */
export function postsTypingName(tree: QuestionTree, viewer: Person | null): ShownNode[] {
  if (tree.audience !== 'staff' || viewer === null || viewer.id !== tree.author_id) return []
  return [tree, ...tree.answers, ...tree.replies].filter((post) => {
    const html = showMentions(post.body_html, (id, typed) => (id === viewer.id ? '' : `@${typed}`))
    const text = 'title' in post ? `${post.title}\n${plainText(html)}` : plainText(html)
    return tellsAuthor(text, [viewer.displayName], [viewer.email ?? ''])
  })
}
