import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Mark, Marked } from '../../kernel/mark.ts'
import type { FormState } from '../../web/form.ts'
import type { FormDoor } from '../../web/forms/door.ts'
import { openMark } from '../../web/forms/mark.ts'
import { page } from '../../web/page.ts'
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
      refused: (request, reply, form) =>
        showRefused(request, reply, form, address, asks, backPath(request, '')),
    }),
    ...more,
  })
}

/** The form of one field again. @param address of a question's form @param back where it leads back to; '': to the question */
export const showRefused = page(
  'desk/refused',
  { robots: 'noindex' },
  async (
    { t, db, person, params },
    form: FormState,
    address: string,
    field: { readonly name: string; readonly type: 'text' | 'date' },
    back: string,
  ) => {
    const id = idParam({ params }, 'id')
    const question = await findQuestion(db, person(), id, 'assign')
    const act = address.slice(address.lastIndexOf('/') + 1)
    const [error] = form.errors
    return {
      title: t(`desk.${act}.title`),
      reason: error === undefined ? '' : t(error.message.key, error.message.values),
      action: `/questions/${id}/${act}`,
      field: { ...field, value: form.typed[field.name] ?? '', label: t(`desk.${act}.label`) },
      button: t(`desk.${act}.name`),
      backPath: back || questionPath(question),
    }
  },
)
