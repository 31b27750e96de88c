import type { FastifyRequest } from 'fastify'
import { Problem } from '../../kernel/problem.ts'
import { may, placeOf } from '../../kernel/rights/rights.ts'
import { hasForbidden } from '../../text/characters.ts'
import { withOwnPictures } from '../../text/picture-address.ts'
import { sentFields, typedFields } from '../../web/form.ts'
import type { MentionPlace } from '../mentions/queries.ts'
import { placeBelow, withTypedMentions } from '../mentions/typed.ts'
import { FIND } from '../posts/find.ts'
import { POST_BODY, REPLY_BODY } from '../posts/form.ts'

const POST_FORM = /^\/(questions|answers|replies)\/([1-9]\d{0,14})\/(?:answers|replies|edit|desk)$/

/** Characters that the text of a form may have. @param action where the form is posted */
export function maxOf(action: string): number {
  return action.includes('/replies') ? REPLY_BODY.max : POST_BODY.max
}

/**
 * What came of a form that is previewed, with a text as it will be posted: with mentions for typed names, which only the place knows that
 * `to` or `course` names.
 */
export async function asPosted(request: FastifyRequest, sent: unknown = request.body) {
  const typed = sentFields(sent)
  const { baseUrl } = request.server.config
  const fields =
    typeof typed.body === 'string' ? { ...typed, body: withOwnPictures(typed.body, baseUrl) } : typed
  const { to = '' } = typedFields(request.body)
  const place = typeof fields.body === 'string' && fields.body.includes('@') ? await placeIn(request) : null
  if (place === null) return { fields, isPlaced: false }
  const writerId = request.requirePerson().id
  const text = { source: String(fields.body), max: maxOf(to) }
  const body = await withTypedMentions(request.server.db, place, writerId, text)
  return { fields: { ...fields, body }, isPlaced: true }
}

/** Where a text will be posted; null: nowhere that its writer may mention anybody. */
async function placeIn(request: FastifyRequest): Promise<MentionPlace | null> {
  const { server, body } = request
  const person = request.requirePerson()
  const { to = '', course: slug = '' } = typedFields(body)
  const [, table, id] = POST_FORM.exec(to) ?? []
  if (table === undefined) {
    const isSlug = slug !== '' && !hasForbidden(slug, { multiline: false })
    const course = isSlug ? await server.courses.findCourse(slug) : null
    return course !== null && may(person, 'mention', placeOf(course)) ? placeBelow.course(slug) : null
  }
  try {
    const { questionId } = await FIND[table as keyof typeof FIND](server.db, person, Number(id), 'mention')
    return placeBelow.questions(questionId)
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}
