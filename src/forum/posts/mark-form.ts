import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Mark, Marked } from '../../kernel/mark.ts'
import type { FormState } from '../../web/form.ts'
import type { FormField } from '../../web/form-fields.ts'
import type { FormDoor } from '../../web/forms/door.ts'
import { openMark } from '../../web/forms/mark.ts'
import { type PageContext, page } from '../../web/page.ts'
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

/** What a question's form asks for, where that is one thing. */
const onlyField =
  (address: string, { name, type }: { readonly name: string; readonly type: 'text' | 'date' }) =>
  ({ t }: Pick<PageContext, 't'>, { typed, errors }: FormState): readonly FormField[] => {
    const [error] = errors
    const label = t(`desk.${actOf(address)}.label`)
    const wrong = error && t(error.message.key, error.message.values)
    return [{ control: 'field', name, type, label, error: wrong, value: typed[name] ?? '', required: true }]
  }

/** The form of one field again. @param address of a question's form @param back where it leads back to; '': to the question */
export const showRefused = (
  request: FastifyRequest,
  reply: FastifyReply,
  form: FormState,
  address: string,
  field: { readonly name: string; readonly type: 'text' | 'date' },
  back: string,
) => showRefusedForm(request, reply, form, address, onlyField(address, field), back)

const actOf = (address: string) => address.slice(address.lastIndexOf('/') + 1)

/** The same of any fields: what staff do with a question, and what is wrong with it. */
export const showRefusedForm = page(
  'desk/refused',
  { robots: 'noindex' },
  async (
    context,
    form: FormState,
    address: string,
    fieldsOf: (context: PageContext, form: FormState) => readonly FormField[],
    back: string,
  ) => {
    const { t, db, person } = context
    const id = idParam(context, 'id')
    const question = await findQuestion(db, person(), id, 'assign')
    const act = actOf(address)
    return {
      title: t(`desk.${act}.title`),
      errors: form.errors.map(({ field, message }) => ({ field, text: t(message.key, message.values) })),
      action: `/questions/${id}/${act}`,
      fields: fieldsOf(context, form),
      button: t(`desk.${act}.name`),
      backPath: back || questionPath(question),
    }
  },
)
