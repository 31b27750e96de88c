import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { PictureRefused, pictureUpload, uploadPicture } from '../../forum/pictures/upload.ts'
import { UPLOADS } from '../../kernel/limits.ts'
import { sentFields, strangeFields } from '../../web/form.ts'
import { type Endpoint, InvalidParameter } from '../../web/json/endpoint.ts'
import { resource, url } from '../../web/json/resource.ts'
import { registerMultipart } from '../../web/multipart.ts'
import { requireConditions } from './conditions.ts'
import { ApiProblem, fieldCodeOf, strangeMembers } from './problem.ts'
import { actorOf } from './writing.ts'

/** `markdown` has a path, as texts do. */
const pictureSchema = resource('Picture', {
  url,
  markdown: z.string(),
  width: z.int(),
  height: z.int(),
})

/** The picture is a file of a form, with its description beside it, or the body itself. */
export const uploadEndpoint: Endpoint = {
  ...{ method: 'POST', path: '/uploads', name: 'uploadPicture', tag: 'uploads' },
  ...{ scopes: ['write'], isPublic: false },
  query: z.object({ alt: z.string().optional() }),
  body: { fields: { alt: pictureUpload.input.alt }, required: [], hasFile: true },
  answer: { kind: 'created', schema: pictureSchema },
  problems: [],
  operation: pictureUpload.name,
  act: pictureUpload.right,
  limit: pictureUpload.limit,
  ...{ shared: null, takesKey: false },
  async handle({ request }) {
    await requireConditions(request, '/uploads', request.server.db)
    // As sent: a description that came twice or can't be one is refused, as in a form.
    const [form, query] = [sentFields(request.body), sentFields(request.query)]
    const strange = strangeFields(form, ['alt'])
    if (strange.length > 0) throw strangeMembers(strange, 'unknownMember')
    // What was no UTF-8 was decoded so; a description that means this character has no use for it.
    if (String(form.alt).includes('\uFFFD')) throw new ApiProblem('badRequest')
    if (form.alt !== undefined && query.alt !== undefined)
      throw new InvalidParameter('alt', 'doubledParameter')
    const alt = form.alt ?? query.alt
    const picture = await uploadPicture(request, actorOf(request), alt).catch((error: unknown) => {
      throw error instanceof PictureRefused ? problemOf(error) : error
    })
    const { url: html, ...shown } = picture
    return { ...shown, links: { html } }
  },
}

/** Opens it in a scope of its own, where bodies are files. */
export function registerUploads(scope: FastifyInstance, open: (inner: FastifyInstance) => void): void {
  scope.register(async (inner) => {
    inner.removeAllContentTypeParsers()
    await registerMultipart(inner, { file: UPLOADS.fileBytes, bare: /^image\// })
    inner.addContentTypeParser('*', (_request, _body, done) =>
      done(new ApiProblem('unsupportedType', { detail: { key: 'api.problem.pictureType' } })),
    )
    open(inner)
  })
}

const KEYS = { 403: 'suspended', 413: 'tooLarge', 422: 'invalid', 429: 'tooOften' } as const

function problemOf({ status, text: message, retryAfter }: PictureRefused): ApiProblem {
  const key = KEYS[status as keyof typeof KEYS] ?? 'unavailable'
  const headers: Record<string, string> = retryAfter === null ? {} : { 'retry-after': String(retryAfter) }
  if (key !== 'invalid') return new ApiProblem(key, { headers, detail: message })
  return new ApiProblem(key, { errors: [{ pointer: '/file', message, code: fieldCodeOf(message.key) }] })
}
