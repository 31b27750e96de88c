import { z } from 'zod'
import { writeCursor } from '../../database/keyset.ts'
import { answerResource, answerSchema } from '../../forum/answers/resource.ts'
import {
  type AnswerRecord,
  answerRecords,
  type ReplyRecord,
  replyRecords,
} from '../../forum/posts/records.ts'
import { questionSchema } from '../../forum/reading/resource.ts'
import { replyResource, replySchema } from '../../forum/replies/resource.ts'
import { API, absolute, type Call, type Endpoint, type Item, type Listed } from '../../web/json/endpoint.ts'
import { textsOfPost, withinBytes } from '../../web/json/paging.ts'
import { resource, url } from '../../web/json/resource.ts'

/** Posts with others in them, and others in each of them. */
const MOST_POSTS = 20
const MOST_WITHIN = 10

const listIn = (schema: z.ZodObject) => z.object({ items: z.array(schema), next: url.nullable() }).optional()
const wholeAnswer = resource('AnswerWithReplies', { ...answerSchema.shape, replies: listIn(replySchema) })
const wholeQuestion = resource('QuestionWithPosts', {
  ...questionSchema.shape,
  answers: listIn(wholeAnswer),
  replies: listIn(replySchema),
})

const KINDS = {
  question: {
    schema: wholeQuestion,
    include: z.enum(['answers', 'replies', 'answers,replies', 'replies,answers']),
  },
  answer: { schema: wholeAnswer, include: z.enum(['replies']) },
} as const

interface Asked {
  readonly include?: string
  readonly limit?: number
}

/** An endpoint of questions or answers that has, if it is asked to, the first posts below each of them in it. */
export function including(kind: keyof typeof KINDS, endpoint: Endpoint): Endpoint {
  const { answer, query, shared } = endpoint
  if (answer.kind !== 'one' && answer.kind !== 'list') throw new Error('it answers with no posts')
  const { schema, include } = KINDS[kind]
  return {
    ...endpoint,
    answer: { ...answer, schema },
    query: (query ?? z.object({})).extend({ include: include.optional() }),
    shared: shared && { ...shared, parameters: [...shared.parameters, 'include'] },
    async handle(call) {
      const { include, limit, ...others } = call.query as Asked
      if (include === undefined) return endpoint.handle(call)
      const names = include.split(',')
      const fewer = limit === undefined ? others : { ...others, limit: Math.min(limit, MOST_POSTS) }
      const given = await endpoint.handle({ ...call, query: fewer })
      if (answer.kind === 'list') {
        const listed = given as Listed<Post>
        return { ...listed, items: await withPosts(call.request, kind, listed.items, names) }
      }
      const [post = given] = await withPosts(call.request, kind, [given as Post], names)
      return post
    },
  }
}

/** What answers of these endpoints are made of: `question` is that of an answer. */
type Post = Item & { readonly id: number; readonly question: number }

async function withPosts(
  request: Call['request'],
  kind: keyof typeof KINDS,
  posts: readonly Post[],
  names: readonly string[],
): Promise<Item[]> {
  const { person, server } = request
  const isOfQuestions = kind === 'question'
  const ids = posts.map(({ id }) => id)
  const questionIds = isOfQuestions ? ids : [...new Set(posts.map(({ question }) => question))]
  const [hasAnswers, hasReplies] = [names.includes('answers'), names.includes('replies')]
  const answers = hasAnswers
    ? await answerRecords.first(server.db, person, { questionIds, under: null }, MOST_WITHIN)
    : []
  const shownAnswers = await shown(
    answers,
    ({ question_id: id }) => id,
    (rows) => answerResource.items(request, rows),
  )
  const answerIds = isOfQuestions
    ? [...shownAnswers.values()].flatMap(({ rows }) => rows.map(({ id }) => id))
    : ids
  const under = { isDirect: isOfQuestions, answerIds }
  const replies = hasReplies
    ? await replyRecords.first(server.db, person, { questionIds, under }, MOST_WITHIN)
    : []
  const shownReplies = await shown(replies, placeOf, (rows) => replyResource.items(request, rows))
  const listOf = (parent: string, name: 'answers' | 'replies', found: Shown | undefined) => ({
    schema: name === 'answers' ? wholeAnswer : replySchema,
    path: `${API}${parent}/${name}`,
    items: found?.items ?? [],
    next: found?.next === undefined ? null : absolute(request, `${API}${parent}/${name}${found.next}`),
  })
  const repliesOf = (parent: string) => ({ replies: listOf(parent, 'replies', shownReplies.get(parent)) })
  const answersOf = (id: number) => {
    const found = shownAnswers.get(id)
    const items = found?.items.map((item, index) =>
      hasReplies ? { ...item, within: repliesOf(`/answers/${found.rows[index]?.id}`) } : item,
    )
    return { answers: listOf(`/questions/${id}`, 'answers', found && { ...found, items: items ?? [] }) }
  }
  return posts.map((post) => ({
    ...post,
    within: {
      ...(hasAnswers && answersOf(post.id)),
      ...(hasReplies && repliesOf(`/${isOfQuestions ? 'questions' : 'answers'}/${post.id}`)),
    },
  }))
}

/** The address below /api/v1 of what a reply is under. */
const placeOf = ({ question_id: question, answer_id: answer }: ReplyRecord) =>
  answer === null ? `/questions/${question}` : `/answers/${answer}`

interface Shown<Row = AnswerRecord | ReplyRecord> {
  readonly rows: readonly Row[]
  readonly items: readonly Item[]
  /** The query of the rest's address; undefined: this is all. */
  readonly next: string | undefined
}

/**
 * What is shown below each parent: of all together as much as one page can hold, some of each before more of one.
 * @param rows of each parent one more than are shown, by their place below it
 */
async function shown<Row extends AnswerRecord | ReplyRecord, Parent>(
  rows: readonly Row[],
  parentOf: (row: Row) => Parent,
  itemsOf: (rows: readonly Row[]) => Promise<Item[]>,
): Promise<Map<Parent, Shown<Row>>> {
  const held = new Set(withinBytes(rows, textsOfPost))
  const groups = [...Map.groupBy(rows, parentOf)].map(([parent, all]) => {
    const kept = all.filter((row) => held.has(row)).slice(0, MOST_WITHIN)
    const last = kept.at(-1)
    const cursor = last && writeCursor({ value: last.written_at.getTime(), id: last.id })
    const next = kept.length === all.length ? undefined : cursor === undefined ? '' : `?cursor=${cursor}`
    return { parent, rows: kept, next }
  })
  const items = await itemsOf(groups.flatMap(({ rows }) => rows))
  return new Map(
    groups.map(({ parent, ...group }) => [parent, { ...group, items: items.splice(0, group.rows.length) }]),
  )
}
