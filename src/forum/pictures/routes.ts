import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { UPLOADS } from '../../limits/table.ts'
import type { Message } from '../../messages/catalogue.ts'
import { Problem } from '../../operations/problem.ts'
import { type FormState, refuse, sentFields, strangeFields, typedFields } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { registerMultipart } from '../../web/multipart.ts'
import { textParam } from '../../web/params.ts'
import { KEPT, pageOfText, previewOf, showPreview } from '../writing/preview.ts'
import { filesOf } from './commands.ts'
import { findPicture } from './queries.ts'
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
  return showPreview(request, reply, shown, preview, status)
}
