import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import { may, placeOf } from '../../kernel/rights/rights.ts'
import { translatorFor } from '../../web/language.ts'
import { ownTextOf } from '../../web/own-parts.ts'
import { contextOf } from '../../web/page.ts'
import { choiceParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import { decisionsOn, isKeptForAuthor } from '../handling/decided-posts.ts'
import { shownHtml } from '../questions/question-links.ts'
import type { RelatedQuestion, RelatedQuestions, RelatedTo } from '../search/similar/related.ts'
import { kindOf, type OpenForm } from './post-views.ts'
import {
  type DeletedQuestionPage,
  postsTypingName,
  type QuestionPage,
  questionPage,
  type ShownTree,
} from './show-page.ts'
import { structuredData } from './structured-data.ts'
import { ANSWER_SORTS, courseOf, findQuestionTree, type QuestionTree } from './tree.ts'

/** The question's tree for the one who asks. @throws Problem 404 when it is not there, or not for them */
export async function readableTree(request: FastifyRequest, id: number): Promise<QuestionTree> {
  const sort = choiceParam(request, 'answers', ANSWER_SORTS, 'votes')
  const tree = await findQuestionTree(request.server.db, id, request.person, sort)
  if (tree === undefined) throw notFound()
  return tree
}

/**
 * Answers with the question page; a deleted question with 410 and the answers it got.
 * @param open a form on it that was refused (then `status` is 422), or whose kept text is back
 */
export async function showQuestion(
  request: FastifyRequest,
  reply: FastifyReply,
  tree: QuestionTree,
  open: OpenForm | null,
  status = 200,
) {
  const sort = choiceParam(request, 'answers', ANSWER_SORTS, 'votes')
  const isDeleted = tree.deleted_at !== null
  const related = isDeleted ? [] : await besideIt(request, tree, (related, to) => related.of(to))
  await dependOnTree(request, tree, related)
  const whole = await asShown(request, tree)
  // Neither its words nor its title, which addresses repeat, are told any more.
  const shown = isDeleted ? { ...whole, title: '', body: '', body_html: '' } : whole
  const own = await ownTextOf(request)
  const page = questionPage(request, shown, sort, open, related, own)
  const t = translatorFor(request)
  const course = courseOf(tree)
  const head = {
    canonical: page.question.duplicate?.path ?? questionPath(shown),
    course: course.slug,
    bar: await barOf(contextOf(request), course, 'questions', true),
    status,
    about: sort === 'votes' ? null : t(`answers.sort.${sort}`),
  }
  if (!isDeleted)
    return reply.page<QuestionPage>('questions/show', page, {
      ...head,
      showsTexts: true,
      ...forMachines(request, tree),
    })
  const isKept = (whole.decisions ?? []).some(
    (one) => one.subject === `question-${tree.id}` && isKeptForAuthor(one),
  )
  const keptText = isKept ? { title: tree.title, html: whole.body_html, lang: tree.language } : null
  return reply.page<DeletedQuestionPage>(
    'questions/deleted',
    { ...page, title: t('questions.deleted.title'), keptText },
    { ...head, showsTexts: true, status: 410 },
  )
}

/** The tree with the titles of the questions that its posts link to, the names of those whom they mention, and decisions about them. */
export async function asShown(request: FastifyRequest, tree: QuestionTree): Promise<ShownTree> {
  const posts = [tree, ...tree.answers, ...tree.replies]
  const written = posts.map((post) => ({
    ...{ kind: kindOf(post), id: post.id, questionId: tree.id },
    html: post.body_html,
  }))
  const htmls = await shownHtml(request, written)
  const titled = new Map(posts.map((post, index) => [post, htmls[index] ?? post.body_html] as const))
  const shown = <Post extends (typeof posts)[number]>(post: Post) => ({
    ...post,
    body_html: titled.get(post) ?? '',
  })
  const typingName = postsTypingName(tree, request.person)
  const [answers, replies] = [tree.answers.map(shown), tree.replies.map(shown)]
  return { ...shown(tree), answers, replies, typingName, decisions: await decisionsFor(request, tree) }
}

/** The decisions about its posts that the reader is told. Each reader of such a page gets one rendered for them alone. */
async function decisionsFor({ person, server, rendering }: FastifyRequest, tree: QuestionTree) {
  const posts = [tree, ...tree.answers, ...tree.replies]
  const isTouched =
    tree.deleted_at !== null || tree.deleted_posts.length > 0 || tree.answers_closed_at !== null
  if (person === null || !(isTouched || tree.is_kept_private || posts.some(({ hiding }) => hiding !== null)))
    return []
  const decisions = await decisionsOn(server.db, person, tree.id, tree.course_id)
  if (rendering !== null && decisions.length > 0) rendering.isCacheable = false
  return decisions
}

/** What is not for everybody is told to nobody but those who open it. */
function forMachines(request: FastifyRequest, tree: QuestionTree) {
  const isForAll = may(null, 'read', placeOf(courseOf(tree)))
  if (!isForAll || tree.audience === 'staff' || tree.hiding !== null) return { robots: 'noindex' as const }
  const t = translatorFor(request)
  return {
    feed: `/questions/${tree.id}/feed.atom`,
    structuredData: structuredData(tree, request.server.config.baseUrl, t),
  }
}

/** Names what a shared page depends on, and to whom it looks different: who wrote on it, voted there or follows it. */
async function dependOnTree(
  { rendering, server }: FastifyRequest,
  tree: QuestionTree,
  related: readonly RelatedQuestion[],
): Promise<void> {
  if (rendering === null) return
  // Each reader of a private or hidden question gets a page rendered for them alone.
  if (tree.audience === 'staff' || tree.hiding !== null) rendering.isCacheable = false
  const writers = new Set(
    [tree, ...tree.answers, ...tree.replies, ...tree.deleted_posts].map((post) => post.author_id),
  )
  if (tree.original_id !== null) rendering.dependsOn(`question:${tree.original_id}`)
  rendering.dependsOn(`question:${tree.id}`)
  for (const { id } of related) rendering.dependsOn(`row:${id}`)
  const staff = [tree.linker_id, tree.assignee_id, ...tree.answers.map((answer) => answer.endorsed_by)]
  for (const named of new Set([...writers, ...staff]))
    if (named !== null) rendering.dependsOn(`person:${named}`)
  // Visitors have no part in anything.
  if (rendering.reader === null) return
  rendering.personalFor = new Set([...writers, ...(await participantsOf(server.db, tree.id))])
}

/** Questions that were answered before it and may answer it too. */
export function answeredBefore(request: FastifyRequest, tree: QuestionTree, size: number) {
  return besideIt(request, tree, (related, to) => related.answeredBefore(to, size))
}

/** What stands beside a question is worth no failure of its page. */
async function besideIt<Found>(
  request: FastifyRequest,
  tree: QuestionTree,
  find: (related: RelatedQuestions, to: RelatedTo) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const { id: exceptId, title, body, course_id: courseId } = tree
  const tags = tree.tags.map(({ name }) => name)
  try {
    return await find(request.server.related, { title, body, tags, courseId, exceptId })
  } catch (error) {
    request.log.warn({ err: error, questionId: exceptId }, 'a page without its related questions')
    if (request.rendering !== null) request.rendering.isCacheable = false
    return []
  }
}

/** Ids of those who voted for a question or one of its answers, follow it, or wrote what is not shown in it: its page looks different to each of them. */
async function participantsOf(db: Database, questionId: number): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] }>`
    select coalesce(json_agg(person_id), '[]') as ids from (
      select person_id from question_votes where question_id = ${questionId}
      union select person_id from question_follows where question_id = ${questionId}
      union select vote.person_id from answers join answer_votes as vote on vote.answer_id = answers.id
        where answers.question_id = ${questionId}
      union select author_id from answers where question_id = ${questionId} and not is_shown
      union select author_id from replies
        where question_id = ${questionId} and not is_shown) as participant`.execute(db)
  return rows[0]?.ids ?? []
}
