import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database, Row } from '../../database/schema.ts'
import { UPLOADS } from '../../kernel/limits.ts'
import { NeedsSignIn, Problem } from '../../kernel/problem.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'
import type { Message } from '../../messages/catalogue.ts'
import { translatorFor } from '../../web/appearance.ts'
import { type FormState, refuse, sentFields, strangeFields, typedFields } from '../../web/form.ts'
import { registerMultipart } from '../../web/multipart.ts'
import { textParam } from '../../web/params.ts'
import { isHandledByPerson, joinHandler } from '../handling/handlers.ts'
import { FIND } from '../posts/find.ts'
import { KINDS, POST_TABLES } from '../posts/kinds.ts'
import { KEPT, pageOfText, previewOf, showPreview } from '../writing/preview.ts'
import { filesOf } from './commands.ts'
import { AWAY_SECONDS, PictureRefused, pictureUpload, uploadPicture, wasAway } from './upload.ts'

const TYPES = { png: 'image/png', jpg: 'image/jpeg', gif: 'image/gif' } as const
/** A picture never changes; who may see it may, so that nobody but its reader's browser keeps it. */
const FOR_ITS_READER = 'private, max-age=31536000, immutable'

/** `POST /uploads` keeps a picture, `GET /uploads/:name` shows it to those who may read a post that does. */
export function registerPictures(app: FastifyInstance): void {
  app.get('/uploads/:name', async (request, reply) => {
    const picture = await findPicture(app.db, textParam(request, 'name'), request.person)
    if (picture === null) return reply.callNotFound()
    const [webp, other] = filesOf(picture)
    const knowsWebp = request.headers.accept?.includes('image/webp') === true
    const content = await app.pictures.get(knowsWebp ? webp : other).catch((error: unknown) => {
      throw wasAway(request, error) ? new Problem('unavailable', AWAY_SECONDS) : error
    })
    if (content === null) return reply.callNotFound()
    return reply
      .type(knowsWebp ? 'image/webp' : TYPES[picture.fallback])
      .header('cache-control', FOR_ITS_READER)
      .header('vary', 'accept, cookie')
      .send(content)
  })

  app.register(async (scope) => {
    await registerMultipart(scope, { file: UPLOADS.fileBytes })
    const config = { limit: 'uploading', needsPerson: true, formPage: pageOfText, keeps: KEPT } as const
    app.forms.set('/uploads', [pictureUpload.name])
    scope.post('/uploads', { config }, upload)
  })
}

/** With the fields of the text that the picture is for, which its form sends as well. */
const TAKEN = ['alt', 'to', '_csrf', ...KEPT]

async function upload(request: FastifyRequest, reply: FastifyReply) {
  try {
    if (!wantsPage(request) && strangeFields(request.body, TAKEN).length > 0)
      throw new PictureRefused(422, { key: 'forms.unknown' })
    const picture = await uploadPicture(request, request.person, sentFields(request.body).alt)
    if (wantsPage(request)) return await showText(request, reply, 201, picture.markdown)
    return reply.code(201).header('cache-control', 'no-store').send(picture)
  } catch (error) {
    if (!(error instanceof PictureRefused)) throw error
    const { status, text, retryAfter } = error
    if (retryAfter !== null) reply.header('retry-after', String(retryAfter))
    if (wantsPage(request)) return showText(request, reply, status, '', text)
    const t = translatorFor(request)
    return reply
      .code(status)
      .header('cache-control', 'no-store')
      .send({ error: t(text.key, text.values) })
  }
}

/** Forms ask for a page; scripts take anything. */
function wantsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('text/html') === true
}

/** The text that the picture is for, with the picture at its end, or with what is wrong with that. */
async function showText(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  added: string,
  problem?: Message,
) {
  const { body = '' } = typedFields(request.body)
  const text = [body.trimEnd(), added].filter((part) => part !== '').join('\n\n')
  const { preview } = await previewOf(request, { body: text })
  const form: FormState = { typed: { body: text }, errors: [] }
  const shown = problem === undefined ? form : refuse(form, 'body-file', problem.key, problem.values)
  return showPreview(request, reply.code(status), shown, preview, typedFields(request.body))
}

/** Posts that are looked at for whether one may see their picture: it stands in one, and in its copy in each later run of the course. */
const MAX_POSTS = 40

/**
 * A picture as its viewer may see it: who may read a post that shows it, or restore one that is deleted; who may edit one that
 * showed it earlier; who may handle a case about it; before any post shows it, its uploader. null: there is none, for this viewer.
 */
async function findPicture(db: Database, name: string, viewer: Actor | null) {
  const picture = await db
    .selectFrom('images')
    .select(['id', 'name', 'fallback', 'uploader_id'])
    .where('name', '=', name)
    .executeTakeFirst()
  if (picture === undefined) return null
  const posts = await db
    .selectFrom('post_images')
    .select(['question_id', 'answer_id', 'reply_id', 'announcement_id', 'is_shown'])
    .where('image_id', '=', picture.id)
    .orderBy('is_shown', 'desc')
    .orderBy('question_id')
    .limit(MAX_POSTS)
    .execute()
  const isOwn = viewer !== null && picture.uploader_id === viewer.id
  if (posts.length === 0 && isOwn) return picture
  for (const post of posts) if (await isSeenIn(db, post, viewer)) return picture
  return (await isSeenInCase(db, picture.id, viewer)) ? picture : null
}

type ShowingPost = Omit<Row<'post_images'>, 'id' | 'image_id'>

async function isSeenIn(db: Database, post: ShowingPost, viewer: Actor | null): Promise<boolean> {
  if (post.announcement_id !== null) return isAnnouncedTo(db, post.announcement_id, post.is_shown, viewer)
  if (!post.is_shown) return mayDo(db, post, viewer, 'edit')
  return (await mayDo(db, post, viewer, 'read')) || (await mayDo(db, post, viewer, 'restore'))
}

async function mayDo(
  db: Database,
  post: ShowingPost,
  viewer: Actor | null,
  act: 'read' | 'edit' | 'restore',
): Promise<boolean> {
  const table = POST_TABLES.find((one) => post[KINDS[one].column] !== null) ?? 'replies'
  try {
    await FIND[table](db, viewer, post[KINDS[table].column] ?? 0, act)
    return true
  } catch (error) {
    if (error instanceof Problem || error instanceof NeedsSignIn) return false
    throw error
  }
}

async function isSeenInCase(db: Database, imageId: number, viewer: Actor | null): Promise<boolean> {
  if (viewer === null || viewer.owesSecondFactor === true) return false
  const { rows } = await sql`
    select from case_images join cases as matter on matter.id = case_images.case_id
    join people as person on person.id = ${viewer.id} ${joinHandler}
    where case_images.image_id = ${imageId} and ${isHandledByPerson} limit 1`.execute(db)
  return rows.length > 0
}

/** Whoever may read the course reads its announcements; those who write them also see what one showed earlier. */
async function isAnnouncedTo(
  db: Database,
  id: number,
  isShown: boolean,
  viewer: Actor | null,
): Promise<boolean> {
  const found = await db
    .selectFrom('announcements as news')
    .innerJoin('courses as course', 'course.id', 'news.course_id')
    .select('news.id')
    .where('news.id', '=', id)
    .where(visibleTo(viewer, isShown ? 'read' : 'announce'))
    .executeTakeFirst()
  return found !== undefined
}
