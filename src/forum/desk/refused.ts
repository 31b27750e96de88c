import type { FastifyReply, FastifyRequest } from 'fastify'
import { translatorOf } from '../../messages/catalogue.ts'
import { backPath } from '../../web/back.ts'
import { languageOfRequest } from '../../web/language.ts'
import { questionPath } from '../../web/paths.ts'
import type { Post } from '../questions/find.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'desk/refused': RefusedPage
  }
}

/** A form of one field that cannot be done: what is wrong, and the form again. */
export interface RefusedPage {
  readonly reason: string
  readonly action: string
  readonly field: {
    readonly name: string
    readonly label: string
    readonly value: string
    readonly type: 'text' | 'date'
  }
  readonly button: string
  readonly backPath: string
}

interface Refusal extends Pick<RefusedPage['field'], 'name' | 'value' | 'type'> {
  /** Of the form's path, and of its messages. */
  readonly act: string
  /** The message, and its values. */
  readonly why: string
  readonly values?: Readonly<Record<string, number>>
}

/** Answers 422 with the form of one field again, and what is wrong with what was typed. */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  question: Post,
  { act, why, values, ...field }: Refusal,
) {
  const t = translatorOf(languageOfRequest(request))
  return reply.page(
    'desk/refused',
    {
      title: t(`desk.${act}.title`),
      reason: t(`desk.${act}.${why}`, values),
      action: `/questions/${question.id}/${act}`,
      field: { ...field, label: t(`desk.${act}.label`) },
      button: t(`desk.${act}.name`),
      backPath: backPath(request, questionPath(question)),
    },
    { status: 422, robots: 'noindex' },
  )
}
