import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import type { PageContext } from '../../web/page.ts'
import { type Address, choiceParam } from '../../web/params.ts'
import type { BarCourse } from '../courses/course-bar.ts'
import { type CourseContext, pageOfCourse } from '../courses/course-page.ts'
import { decisionsOn, isKeptForAuthor } from '../handling/decided-posts.ts'
import { shownHtml } from '../questions/question-links.ts'
import type { RelatedQuestion, RelatedQuestions, RelatedTo } from '../search/similar/related.ts'
import { kindOf, type OpenForm } from './post-views.ts'
import { postsTypingName, type QuestionPage, questionPage, type ShownTree } from './show-page.ts'
import { structuredData } from './structured-data.ts'
import { ANSWER_SORTS, courseOf, findQuestionTree, type QuestionTree } from './tree.ts'

/** The question's tree for the one who asks. @throws Problem 404 when it is not there, or not for them */
export async function readableTree(request: FastifyRequest, id: number): Promise<QuestionTree> {
  const tree = await findQuestionTree(request.server.db, id, request.person, sortIn(request))
  if (tree === undefined) throw notFound()
  return tree
}

/**
 * The question page; of a deleted question, as 410, with the answers it got.
 * @param open a form on it that was refused, or whose kept text is back
 */
export function showQuestion(
  request: FastifyRequest,
  reply: FastifyReply,
  tree: QuestionTree,
  open: OpenForm | null,
) {
  return tree.deleted_at === null
    ? showThere(request, reply, courseOf(tree), tree, open)
    : showDeleted(request, reply.code(410), courseOf(tree), tree, open)
}

const BELOW_QUESTIONS = { place: 'questions', isBelow: true, showsTexts: true } as const

export const showThere = pageOfCourse(
  'questions/show',
  BELOW_QUESTIONS,
  async (context: CourseContext<BarCourse>, tree: QuestionTree, open: OpenForm | null) => {
    const related = await besideIt(context, tree, (related, to) => related.of(to))
    await dependOnTree(context, tree, related)
    const shown = await asShown(context, tree)
    const page = questionPage(context, shown, sortIn(context), open, related, await context.own())
    return { ...page, head: { ...headOf(context, page), ...forMachines(context, tree) } }
  },
)

export const showDeleted = pageOfCourse(
  'questions/deleted',
  BELOW_QUESTIONS,
  async (context: CourseContext<BarCourse>, tree: QuestionTree, open: OpenForm | null) => {
    await dependOnTree(context, tree, [])
    const whole = await asShown(context, tree)
    // Neither its words nor its title, which addresses repeat, are told any more.
    const shown = { ...whole, title: '', body: '', body_html: '' }
    const page = questionPage(context, shown, sortIn(context), open, [], await context.own())
    const isKept = (whole.decisions ?? []).some(
      (one) => one.subject === `question-${tree.id}` && isKeptForAuthor(one),
    )
    return {
      ...page,
      title: context.t('questions.deleted.title'),
      // For its author, for a while after a decision deleted it.
      keptText: isKept ? { title: tree.title, html: whole.body_html, lang: tree.language } : null,
      head: headOf(context, page),
    }
  },
)

const sortIn = (address: Pick<Address, 'query'>) => choiceParam(address, 'answers', ANSWER_SORTS, 'votes')

function headOf(context: PageContext, { path, question }: QuestionPage) {
  const sort = sortIn(context)
  return {
    canonical: question.duplicate?.path ?? path,
    about: sort === 'votes' ? null : context.t(`answers.sort.${sort}`),
  }
}

/** The tree with the titles of the questions that its posts link to, the names of those whom they mention, and decisions about them. */
export async function asShown(context: PageContext, tree: QuestionTree): Promise<ShownTree> {
  const posts = [tree, ...tree.answers, ...tree.replies]
  const written = posts.map((post) => ({
    ...{ kind: kindOf(post), id: post.id, questionId: tree.id },
    html: post.body_html,
  }))
  const htmls = await shownHtml(context, written)
  const titled = new Map(posts.map((post, index) => [post, htmls[index] ?? post.body_html] as const))
  const shown = <Post extends (typeof posts)[number]>(post: Post) => ({
    ...post,
    body_html: titled.get(post) ?? '',
  })
  const typingName = postsTypingName(tree, context.viewer)
  const [answers, replies] = [tree.answers.map(shown), tree.replies.map(shown)]
  return { ...shown(tree), answers, replies, typingName, decisions: await decisionsFor(context, tree) }
}

/** The decisions about its posts that the reader is told. Each reader of such a page gets one rendered for them alone. */
async function decisionsFor({ db, viewer, rendering }: PageContext, tree: QuestionTree) {
  const posts = [tree, ...tree.answers, ...tree.replies]
  const isTouched =
    tree.deleted_at !== null || tree.deleted_posts.length > 0 || tree.answers_closed_at !== null
  if (viewer === null || !(isTouched || tree.is_kept_private || posts.some(({ hiding }) => hiding !== null)))
    return []
  const decisions = await decisionsOn(db, viewer, tree.id, tree.course_id)
  if (rendering !== null && decisions.length > 0) rendering.isCacheable = false
  return decisions
}

/** What is not for everybody is told to nobody but those who open it. */
function forMachines({ t, config, robots }: CourseContext<BarCourse>, tree: QuestionTree) {
  if (robots || tree.audience === 'staff' || tree.hiding !== null) return { robots: 'noindex' as const }
  return {
    feed: `/questions/${tree.id}/feed.atom`,
    structuredData: structuredData(tree, config.baseUrl, t),
  }
}

/** Names what a shared page depends on, and to whom it looks different: who wrote on it, voted there or follows it. */
async function dependOnTree(
  { rendering, db }: PageContext,
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
  rendering.personalFor = new Set([...writers, ...(await participantsOf(db, tree.id))])
}

/** Questions that were answered before it and may answer it too. */
export function answeredBefore(context: PageContext, tree: QuestionTree, size: number) {
  return besideIt(context, tree, (related, to) => related.answeredBefore(to, size))
}

/** What stands beside a question is worth no failure of its page. */
async function besideIt<Found>(
  { server, rendering, log }: PageContext,
  tree: QuestionTree,
  find: (related: RelatedQuestions, to: RelatedTo) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const { id: exceptId, title, body, course_id: courseId } = tree
  const tags = tree.tags.map(({ name }) => name)
  try {
    return await find(server.related, { title, body, tags, courseId, exceptId })
  } catch (error) {
    log.warn({ err: error, questionId: exceptId }, 'a page without its related questions')
    if (rendering !== null) rendering.isCacheable = false
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
