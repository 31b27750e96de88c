import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { languageOfPost } from '../../text/language.ts'
import type { RenderedText } from '../../text/markdown.ts'
import { withTypedNames } from '../../text/mentions.ts'
import { type FormState, textForm, typedFields, typedIn } from '../../web/form.ts'
import { contextOf, page } from '../../web/page.ts'
import { textFormAt } from '../drafts/text-form.ts'
import { saidOfNames } from '../mentions/typed.ts'
import { edited, postBody } from '../posts/form.ts'
import { asPosted, maxOf } from '../questions/as-posted.ts'
import { withQuestionTitles } from '../questions/question-links.ts'

/** A text as it is previewed: any that could be posted. */
const previewForm = textForm({ body: postBody() })
const NOT_SENT_ON = new Set(['body', 'to', 'file', 'alt'])
/** The fields of every form that shows a preview: those of a question are the most. */
export const KEPT = Object.keys(edited)

/** `POST /preview`: the page of a text, or with `Accept: text/html; fragment=1` the text alone. */
export function registerPreview(app: FastifyInstance): void {
  const formPage = pageOfText
  const config = { limit: 'preview', needsPerson: true, formPage, keeps: KEPT } as const
  app.post('/preview', { config }, async (request, reply) => {
    const { parsed, preview } = await previewOf(request, request.body)
    reply.code(preview === null ? 422 : 200)
    return wantsFragment(request)
      ? sendFragment(request, reply, parsed, preview)
      : showPreview(request, reply, parsed, preview, typedFields(request.body))
  })
}

export function pageOfText(request: FastifyRequest): string {
  return textFormAt(typedFields(request.body).to ?? '')?.page ?? '/'
}

/** A text of a form, and how the page of its post will show it. @param sent the form's fields, with that text */
export async function previewOf(request: FastifyRequest, sent: unknown) {
  const { fields, isPlaced } = await asPosted(request, sent)
  const parsed = await previewForm.parse({ body: fields, person: request.person })
  const preview = parsed.ok ? await shownOf(request, parsed.values.body, isPlaced) : null
  return { parsed: { ...parsed, typed: typedIn(sent, previewForm.names) }, preview }
}

export type ShownText = Awaited<ReturnType<typeof shownOf>>

/** `said`: of the names in it. */
async function shownOf(request: FastifyRequest, { html }: RenderedText, isPlaced: boolean) {
  const [shown = html] = await withQuestionTitles(contextOf(request), [withTypedNames(html)])
  return { html: shown, lang: languageOfPost(html), said: isPlaced ? saidOfNames(html, null) : [] }
}

function sendFragment(
  request: FastifyRequest,
  reply: FastifyReply,
  { errors }: FormState,
  preview: ShownText | null,
) {
  const { t } = contextOf(request)
  const texts = errors.map(({ message }) => t(message.key, message.values))
  return reply
    .header('cache-control', 'private, no-store')
    .type('text/html; charset=utf-8')
    .send(request.server.part('/writing/_rendered', { t, preview, texts }))
}

/** @param preview null: what was typed cannot be posted, `form.errors` says why @param typed all fields */
export const showPreview = page(
  'writing/preview',
  { showsTexts: true, robots: 'noindex' },
  ({ t }, form: FormState, preview: ShownText | null, typed: Readonly<Record<string, string>>) => {
    // null: the sender did not say where it will be posted, so that it can only be previewed.
    const action = textFormAt(typed.to ?? '')?.action ?? null
    const others = Object.entries(typed).filter(([name]) => !NOT_SENT_ON.has(name))
    return {
      title: t('similar.previewTitle'),
      form,
      preview,
      action,
      others: others.map(([name, value]) => ({ name, value })),
      max: maxOf(action ?? ''),
    }
  },
)

function wantsFragment(request: FastifyRequest): boolean {
  return /;\s*fragment=1\b/.test(request.headers.accept ?? '')
}
