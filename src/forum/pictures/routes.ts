import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { UPLOADS } from '../../limits/table.ts'
import type { Message } from '../../messages/catalogue.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { Problem } from '../../operations/problem.ts'
import { Suspended } from '../../operations/suspended.ts'
import { pictureAddress } from '../../text/picture-address.ts'
import { type FormState, refuse, typedFields } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { registerMultipart } from '../../web/multipart.ts'
import { textParam } from '../../web/params.ts'
import { NoTurn } from '../../web/turns.ts'
import { KEPT, pageOfText, previewForm, rendered, showPreview } from '../writing/preview.ts'
import { filesOf, keepPicture, TooManyPictures } from './commands.ts'
import { uploadForm } from './form.ts'
import { findPicture } from './queries.ts'
import { StoreUnavailable } from './store.ts'

const TYPES = { png: 'image/png', jpg: 'image/jpeg', gif: 'image/gif' } as const
/** A picture never changes; who may see it may, so that nobody but its reader's browser keeps it. */
const FOR_ITS_READER = 'private, max-age=31536000, immutable'
/** Seconds after which an unavailable store is tried again. */
const AWAY_SECONDS = 30

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
    scope.post('/uploads', { config }, upload)
  })
}

/** No operation: files follow the transaction that keeps their row (commands.ts). */
async function upload(request: FastifyRequest, reply: FastifyReply) {
  const form = uploadForm.parse(request.body)
  if (!form.ok)
    return refused(request, reply, 422, form.errors[0]?.message ?? { key: 'uploads.refused.empty' })
  if (request.upload?.isTooLarge === true) {
    const max = UPLOADS.fileBytes / 1024 / 1024
    return refused(request, reply, 413, { key: 'uploads.refused.large', values: { max } })
  }
  const original = request.upload?.bytes ?? Buffer.alloc(0)
  // Loaded with the first picture: the codecs take 20 MB.
  const { encodePicture, MAX_FRAMES, RefusedPicture } = await import('./encode.ts')
  try {
    const encoded = await encodePicture(original)
    const { alt } = form.values
    const uploaderId = request.requirePerson().id
    const name = await keepPicture(request.server.db, request.server.pictures, {
      uploaderId,
      alt,
      original,
      encoded,
    })
    return await kept(request, reply, { name, alt, width: encoded.width, height: encoded.height })
  } catch (error) {
    if (error instanceof TooManyPictures) {
      reply.header('retry-after', String(24 * 60 * 60))
      return refused(request, reply, 429, { key: 'uploads.refused.often' })
    }
    if (wasAway(request, error)) {
      reply.header('retry-after', String(AWAY_SECONDS))
      return refused(request, reply, 503, { key: 'uploads.refused.away' })
    }
    if (error instanceof Suspended) return refused(request, reply, 403, error.text)
    if (error instanceof NoTurn) throw new Problem('unavailable', 5)
    if (!(error instanceof RefusedPicture)) throw error
    return refused(request, reply, 422, {
      key: `uploads.refused.${error.reason}`,
      values: { max: MAX_FRAMES },
    })
  }
}

/** Whether the store was away, which the log says. */
function wasAway(request: FastifyRequest, error: unknown): boolean {
  if (!(error instanceof StoreUnavailable)) return false
  request.log.error({ err: error }, 'the store of pictures is unavailable')
  return true
}

interface KeptPicture {
  readonly name: string
  readonly alt: string
  readonly width: number
  readonly height: number
}

async function kept(request: FastifyRequest, reply: FastifyReply, picture: KeptPicture) {
  const { name, alt, width, height } = picture
  const url = pictureAddress(name)
  const markdown = `![${alt.replace(/[\\[\]]/g, '\\$&')}](${url})`
  if (wantsPage(request)) return showText(request, reply, 201, markdown)
  return reply.code(201).header('cache-control', 'no-store').send({ url, markdown, width, height })
}

function refused(request: FastifyRequest, reply: FastifyReply, status: number, problem: Message) {
  if (wantsPage(request)) return showText(request, reply, status, '', problem)
  const t = translatorOf(languageOfRequest(request))
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .send({ error: t(problem.key, problem.values) })
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
  const parsed = previewForm.parse({ body: text })
  const preview = parsed.ok ? await rendered(request, parsed.values.body) : null
  const form: FormState = { typed: { body: text }, errors: [] }
  const shown = problem === undefined ? form : refuse(form, 'body-file', problem.key, problem.values)
  return showPreview(request, reply, shown, preview, status)
}
