import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Mark, Marked } from '../../kernel/mark.ts'
import type { FormState } from '../../web/form.ts'
import type { FormDoor } from '../../web/forms/door.ts'
import { openMark } from '../../web/forms/mark.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { answerPath, backPath, questionPath } from '../../web/paths.ts'
import { findQuestion, type Post, questionOf } from './find.ts'

export interface PostMarked extends Marked {
  readonly subject: Post
}

export type PostMark = Mark<number, PostMarked>

/** Opens the form of a mark on a question or an answer; then the post is shown, or the page where the form stood. */
export function openPostMark(
  app: FastifyInstance,
  mark: PostMark,
  more: Partial<FormDoor<number, PostMarked>> = {},
): void {
  const { asks, address } = mark
  const isOfAnswer = address.startsWith('/answers/')
  const key = (request: FastifyRequest) => idParam(request, 'id')
  const path = (post: Post) =>
    isOfAnswer ? answerPath(questionOf(post), post.id) : questionPath(questionOf(post))
  openMark(app, mark, {
    key,
    formPage: (request) => `/${isOfAnswer ? 'answers' : 'questions'}/${key(request)}`,
    done: ({ subject }, request) => backPath(request, path(subject)),
    ...(asks !== undefined && {
      refused: (request, reply, form) => showRefused(request, reply, form, address, asks),
    }),
    ...more,
  })
}

interface RefusedField {
  readonly name: string
  readonly type: 'text' | 'date'
}

/** Answers 422 with the form of one field again, and what is wrong with what was typed. @param address of a question's form */
export async function showRefused(
  request: FastifyRequest,
  reply: FastifyReply,
  form: FormState,
  address: string,
  field: RefusedField,
) {
  const page = await refusedPage(request, form, address, field)
  return reply.page('desk/refused', page, { status: 422, robots: 'noindex' })
}

export async function refusedPage(
  request: FastifyRequest,
  form: FormState,
  address: string,
  field: RefusedField,
) {
  const t = translatorFor(request)
  const id = idParam(request, 'id')
  const question = await findQuestion(request.server.db, request.requirePerson(), id, 'assign')
  const act = address.slice(address.lastIndexOf('/') + 1)
  const [error] = form.errors
  const reason = error === undefined ? '' : t(error.message.key, error.message.values)
  return {
    title: t(`desk.${act}.title`),
    reason,
    action: `/questions/${id}/${act}`,
    field: { ...field, value: form.typed[field.name] ?? '', label: t(`desk.${act}.label`) },
    button: t(`desk.${act}.name`),
    backPath: backPath(request, questionPath(question)),
  }
}
