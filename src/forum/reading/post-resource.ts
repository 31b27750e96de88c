import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Cursor } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import { metaOf } from '../../kernel/fields.ts'
import { notFound, Problem } from '../../kernel/problem.ts'
import { type Actor, countsIn, rulingOn, seesNames } from '../../kernel/rights/rights.ts'
import { mentionsAsNames } from '../../text/mentions.ts'
import { translatorFor } from '../../web/appearance.ts'
import {
  API,
  absolute,
  type Call,
  type Endpoint,
  type Item,
  idOf,
  type Links,
  listOf,
  oneOf,
  reading,
  writing,
} from '../../web/json/endpoint.ts'
import { cursorIn, cut, paging, textsOfPost } from '../../web/json/paging.ts'
import { count, id, resource, role, snaked, time, url } from '../../web/json/resource.ts'
import { contextOf } from '../../web/page.ts'
import { personPath } from '../../web/paths.ts'
import { type AuthorRow, seenAuthor, type Viewing } from '../authors/byline.ts'
import {
  besideUpdated,
  type ListOfPosts,
  requireAlone,
  updatedAfter,
  updatedPosts,
} from '../events/updated.ts'
import { FIND, findPlace } from '../posts/find.ts'
import { anonymous, edited } from '../posts/form.ts'
import { type BelowTable, KINDS, type PostTable } from '../posts/kinds.ts'
import { type AnswerRecord, type Parent, POST_SORTS, type ReplyRecord } from '../posts/records.ts'
import { REMOVALS } from '../posts/removal.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { shownHtml } from '../questions/question-links.ts'

/** `id` and `role` are null where the name is hidden from whoever asks. */
export const authorSchema = resource('Author', {
  id: id.nullable(),
  name: z.string(),
  role: role.nullable(),
  stand_in: z.int().nullable(),
  questions_count: count.nullable(),
})

/** Who wrote a post, as programs read it. */
export function authorItem(
  viewing: Viewing,
  record: AuthorRow & { readonly course_id: number; readonly questions_count: number },
) {
  const author = seenAuthor(viewing, record, record.course_id)
  return { ...snaked(author), questions_count: author.id === null ? null : record.questions_count }
}

/** Fields of all three kinds. */
export const postFields = {
  id,
  body: z.string(),
  body_html: z.string(),
  author: authorSchema,
  is_anonymous: z.boolean(),
  written_at: time,
  edited_at: time.nullable(),
  version: z.int(),
  state: z.enum(['held', 'hidden']).nullable(),
  url,
}

/** What the person of a token has to do with a post of any kind. */
export const meFields = { is_author: z.boolean() }

interface PostRecord extends AuthorRow {
  readonly id: number
  readonly question_id?: number
  readonly body: string
  readonly body_html: string
  readonly version: number
  readonly course_id: number
  readonly questions_count: number
}

interface Kind<Row extends PostRecord, Schema extends z.ZodObject, Shown extends Item<Schema>> {
  readonly table: PostTable
  readonly schema: Schema
  /** @throws Problem 404 or 410 when it is not there, or not for the one who asks */
  read(request: FastifyRequest, id: number): Promise<Row>
  /** @param html of its text, with the titles of questions that it names */
  itemOf(request: FastifyRequest, record: Row, html: string): Shown
}

/** What programs read of a kind of post. */
export function postResource<Row extends PostRecord, Schema extends z.ZodObject, Shown extends Item<Schema>>(
  kind: Kind<Row, Schema, Shown>,
) {
  async function items(request: FastifyRequest, records: readonly Row[]): Promise<Shown[]> {
    const posts = records.map(({ id, question_id: questionId = id, body_html: html }) => ({
      ...{ kind: KINDS[kind.table].kind, id, questionId, html },
    }))
    const htmls = await shownHtml(contextOf(request), posts)
    for (const { questionId } of posts) request.rendering?.dependsOn(`question:${questionId}`)
    return records.map((record, index) => kind.itemOf(request, record, htmls[index] ?? ''))
  }
  async function one(request: FastifyRequest, id: number): Promise<Shown> {
    const [item] = await items(request, [await kind.read(request, id)])
    if (item === undefined) throw new Error('a record without a resource')
    return item
  }
  return { ...kind, items, one }
}

type PostResource = Pick<Kind<PostRecord, z.ZodObject, Item>, 'table' | 'schema'> & {
  one(request: FastifyRequest, id: number): Promise<Item>
}

/** What is common to all: the record, with the author and the text as the one who asks may know them. */
export function postItem<Row extends PostRecord>(
  request: FastifyRequest,
  record: Row,
  html: string,
  links: Links & { readonly html: string },
) {
  const viewer = request.person
  const author = authorItem({ t: translatorFor(request), viewer }, record)
  const { id, name } = author
  if (id !== null) request.rendering?.dependsOn(`person:${id}`)
  const profile =
    id === null ? {} : { author: `${API}/people/${id}`, profile: personPath({ id, displayName: name }) }
  const maySend = viewer !== null && (viewer.id === record.author_id || seesNames(viewer, record.course_id))
  return {
    ...record,
    // Ids of people are in the source of those alone who can send it back: of others, numbers would tell whose they are.
    body: maySend ? record.body : mentionsAsNames(record.body),
    body_html: html,
    author,
    url: absolute(request, links.html),
    links: { ...links, ...profile },
  }
}

/**
 * What the person of a token did with a post; null: nobody asks, or with a token of a course, or of another one.
 * @param did beside writing it
 */
export function meOf<Did extends object>(
  { person }: FastifyRequest,
  { author_id: authorId, course_id: courseId }: PostRecord,
  did: (viewer: Actor) => Did,
) {
  if (person === null || person.id === OF_COURSE || !countsIn(person, courseId)) return null
  return { is_author: person.id === authorId, ...did(person) }
}

/** The id of no one, whom a token of a course acts for. */
const OF_COURSE = 0

export function readingPost(name: string, { table, schema, one }: PostResource): Endpoint {
  return reading(`/${table}/:id`, oneOf(schema), { name, tag: table }, (call) =>
    one(call.request, idOf(call)),
  )
}

export function deletingPost(name: string, table: PostTable): Endpoint {
  const operation = REMOVALS[table].deletion
  const deleting = writing({
    ...{ method: 'DELETE', path: `/${table}/:id`, name, tag: table, operation },
    ...{ key: idOf, input: () => ({}) },
  })
  // Twice is once for those who may delete it; for others it is gone.
  async function handle(call: Call) {
    try {
      return await deleting.handle(call)
    } catch (error) {
      if (!(error instanceof Problem && error.key === 'gone')) throw error
      const { person, server } = call.request
      const post = await findPlace(server.db, { table, id: idOf(call) })
      const isDone = post.isDeleted && rulingOn(person, 'delete', { ...post, isDeleted: false }) === 'allowed'
      if (!isDone) throw error
      return null
    }
  }
  return { ...deleting, handle }
}

/** With the post as it is then. */
export function answeredBy(kind: 'created' | 'one', { table, schema, one }: PostResource) {
  return {
    answer: { kind, schema },
    pathOf: ({ id }: { readonly id: number }) => `/${table}/${id}`,
    done: ({ request }: Call, id: number) => one(request, id),
  }
}

/** Of a new post: the name that it is answered by, and the one before. */
export const namedAs = { anonymous: formerly(anonymous), is_anonymous: anonymous }
/** Of one that is edited. */
export const renamedAs = { anonymous: formerly(edited.anonymous), is_anonymous: edited.anonymous }

function formerly<Field extends z.ZodType>(field: Field) {
  return field.meta({ ...metaOf(field), deprecated: true })
}

// What is below a question: answers and replies.

interface Below<Row> {
  ofIds(db: Database, viewer: Actor | null, ids: readonly number[]): Promise<Row[]>
  find(db: Database, viewer: Actor | null, id: number): Promise<Row | undefined>
  list(db: Database, viewer: Actor | null, parent: Parent, page: BelowPage): Promise<Row[]>
}
interface BelowPage {
  readonly after: Cursor | null
  readonly sort: (typeof POST_SORTS)[number]
  readonly size: number
}

export function readBelow<Row>(table: BelowTable, records: Below<Row>) {
  return async ({ person, server }: FastifyRequest, id: number): Promise<Row> => {
    await FIND[table](server.db, person, id, 'read')
    const record = await records.find(server.db, person, id)
    if (record === undefined) throw notFound()
    return record
  }
}

const query = z.object({ ...paging, ...updatedAfter, sort: z.enum(POST_SORTS).default('oldest') })
type BelowQuery = z.output<typeof query>

/** Those below a post. @param of the table of that post, whose id is in the address */
export function listingBelow<Row extends PostRecord & { readonly written_at: Date; readonly state: unknown }>(
  name: string,
  of: 'questions' | 'answers',
  kind: PostResource & { items(request: FastifyRequest, records: readonly Row[]): Promise<Item[]> },
  records: Below<Row>,
  parentOf: (id: number) => Parent,
): Endpoint {
  const { table, schema } = kind
  const answer = listOf(schema, besideUpdated)
  return reading(`/${of}/:id/${table}`, answer, { name, tag: table, query }, async (call) => {
    const { request } = call
    const { cursor, limit, sort, updated_after: since } = call.query
    if (since !== undefined) {
      const query = { ...call.query, updated_after: since }
      const { rows, ...page } = await updatedBelow(request, { of, table, id: idOf(call) }, query, records)
      return { ...page, items: await kind.items(request, rows) }
    }
    const page = { after: cursorIn(cursor, 'time'), sort, size: limit }
    const found = await records.list(request.server.db, request.person, parentOf(idOf(call)), page)
    await dependOn(request, of, idOf(call), found.length === 0)
    const cursorOf = ({ written_at: at, id }: Row) => ({ value: at.getTime(), id })
    const { rows, next } = cut(found, limit, cursorOf, textsOfPost)
    return { items: await kind.items(request, rows), next }
  })
}

/** Of those that everyone who reads the question can have. @throws Problem where it isn't there for whoever asks */
async function updatedBelow<Row extends PostRecord & { readonly state: unknown }>(
  request: FastifyRequest,
  { of, table, id }: { readonly of: 'questions' | 'answers'; readonly table: PostTable; readonly id: number },
  query: BelowQuery & { readonly updated_after: string },
  records: Below<Row>,
) {
  requireAlone(query, 'oldest')
  const { server, person } = request
  const { questionId } = await FIND[of](server.db, person, id, 'read')
  const list =
    table === 'answers'
      ? { answersOf: questionId }
      : { repliesTo: questionId, answer: of === 'answers' ? id : null }
  return updatedPosts(request, list, query, async (ids) =>
    (await records.ofIds(server.db, person, ids)).filter(
      (record) => record.state === null && isIn(list, record),
    ),
  )
}

/** An answer or a reply may be another one by now, at another place. */
function isIn(list: ListOfPosts, { question_id, answer_id = null }: PlacedRecord): boolean {
  if ('answersOf' in list) return question_id === list.answersOf
  return 'repliesTo' in list && question_id === list.repliesTo && answer_id === list.answer
}

interface PlacedRecord {
  readonly question_id?: number
  readonly answer_id?: number | null
}

/** None are told apart from none that may be read only where there are none. */
async function dependOn(request: FastifyRequest, of: 'questions' | 'answers', id: number, isEmpty: boolean) {
  const { server, person, rendering } = request
  const above = isEmpty ? await FIND[of](server.db, person, id, 'read') : null
  if (of === 'questions') rendering?.dependsOn(`question:${id}`)
  else if (above !== null) rendering?.dependsOn(`question:${above.questionId}`)
}

/** Changing an answer, or a reply: what is left out stays. */
export function editingBelow<Row extends PostRecord>(
  name: string,
  table: BelowTable,
  kind: PostResource & { read(request: FastifyRequest, id: number): Promise<Row> },
): Endpoint {
  const operation = TEXT_EDITS[table]
  const { body: text, reason } = operation.input
  return writing({
    ...{ method: 'PATCH', path: `/${table}/:id`, name, tag: table, operation, key: idOf },
    body: { fields: { body: text, ...renamedAs, reason }, required: [] },
    async present(call) {
      const { body, version } = await kind.read(call.request, idOf(call))
      return { body, version }
    },
    ...answeredBy('one', kind),
  })
}

/** A deleted question shows no title, in its address either. */
export function questionOf(record: AnswerRecord | ReplyRecord) {
  const { question_id: id, audience } = record
  return { id, audience, title: record.question_deleted_at === null ? record.question_title : '' }
}
