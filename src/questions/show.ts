import type { FastifyReply, FastifyRequest } from 'fastify'
import { structuredData } from '../machines/structured-data.ts'
import { translatorOf } from '../messages/catalogue.ts'
import type { Shown } from '../page-cache/shown.ts'
import { may } from '../rights.ts'
import type { Related } from '../search/related.ts'
import { languageOfRequest } from '../web/language.ts'
import { choiceParam } from '../web/params.ts'
import { questionPath } from '../web/paths.ts'
import { notFound } from '../web/problem.ts'
import type { OpenForm } from './post-views.ts'
import { questionPage } from './show-page.ts'
import type { QuestionPage } from './show-view.ts'
import { ANSWER_SORTS, findQuestionTree, type QuestionTree } from './tree.ts'

declare module '../web/views.ts' {
  interface Pages {
    'questions/show': QuestionPage
    'questions/deleted': QuestionPage
  }
}

/** The question's tree for the one who asks. @throws Problem 404 when it is not there, or not for them */
export async function readableTree(request: FastifyRequest, id: number): Promise<QuestionTree> {
  const sort = choiceParam(request, 'answers', ANSWER_SORTS, 'votes')
  const tree = await findQuestionTree(request.server.db, id, request.person, sort)
  if (tree === undefined) throw notFound()
  if (!may(request.person, 'read', { courseId: tree.course_id, isPublic: tree.is_public })) throw notFound()
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
  const { questions: related, freshFor } = isDeleted ? NONE : await relatedTo(request, tree)
  if (request.shown !== null) tellTree(request.shown, tree, related, freshFor)
  // Neither its words nor its title, which addresses repeat, are told any more.
  const shown = isDeleted ? { ...tree, title: '', body: '', body_html: '' } : tree
  const page = questionPage(request, shown, sort, open, related)
  const head = { canonical: questionPath(shown), course: tree.course_slug, status }
  if (!isDeleted) return reply.page('questions/show', page, { ...head, ...forMachines(request, tree) })
  const t = translatorOf(languageOfRequest(request))
  return reply.page(
    'questions/deleted',
    { ...page, title: t('questions.deleted.title') },
    { ...head, status: 410 },
  )
}

const NONE: Related = { questions: [], freshFor: 0 }
/** A page that came without them is made again soon. */
const RETRY = 1000

/** What stands beside a question is worth no failure of its page. */
async function relatedTo(request: FastifyRequest, tree: QuestionTree): Promise<Related> {
  const { id: exceptId, title, body, course_id: courseId } = tree
  const tags = tree.tags.map(({ name }) => name)
  try {
    return await request.server.related.of({ title, body, tags, courseId, exceptId })
  } catch (error) {
    request.log.warn({ err: error, questionId: exceptId }, 'a page without its related questions')
    return { ...NONE, freshFor: RETRY }
  }
}

/** A private course's pages are told to nobody but those who open them. */
function forMachines(request: FastifyRequest, tree: QuestionTree) {
  if (!may(null, 'read', { courseId: tree.course_id, isPublic: tree.is_public }))
    return { robots: 'noindex' as const }
  return {
    feed: `/questions/${tree.id}/feed.atom`,
    structuredData: structuredData(tree, request.server.config.baseUrl),
  }
}

/** Tells what the page depends on. */
function tellTree(
  shown: Shown,
  tree: QuestionTree,
  related: QuestionPage['related'],
  freshFor: number,
): void {
  shown.freshFor = freshFor
  shown.add('courses', `course:${tree.course_id}`, `asked:${tree.author_id}`)
  for (const { id } of [tree, ...related]) shown.add(`question:${id}`)
  const writers = new Set([tree, ...tree.answers, ...tree.replies].map((post) => post.author_id))
  for (const writer of writers) shown.add(`name:${writer}`)
  shown.thread = { id: tree.id, writers }
}
