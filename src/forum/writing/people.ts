import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../messages/language.ts'
import { lengthOf } from '../../text/characters.ts'
import { fold } from '../../text/words/fold.ts'
import { contextOf } from '../../web/page.ts'
import { idParam, queryParam } from '../../web/params.ts'
import { courseFor } from '../courses/find-course.ts'
import { findMembers, findMentionable, type Mentionable, type MentionSearch } from '../mentions/queries.ts'
import { findQuestion } from '../posts/find.ts'

/** What calls the staff (src/text/markdown/mentions.ts): the first is put in. */
const CALLS: Readonly<Record<Language, readonly string[]>> = {
  en: ['staff', '강사진', '운영진'],
  ko: ['강사진', '운영진', 'staff'],
}
/** Longer ones are nobody's name. */
const MAX_BEGINNING = 50

/**
 * `GET /mentions/questions/:id?q=` and `/mentions/courses/:course?q=`: whom a text could mention there, as options of a list, for
 * public/js/mentions.js.
 */
export function registerPeopleToMention(app: FastifyInstance): void {
  const config = { limit: 'suggestions' } as const
  app.get('/mentions/questions/:id', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const question = await findQuestion(app.db, person, idParam(request, 'id'), 'mention')
    const search = searchOf(request, question.courseId)
    return send(request, reply, search === null ? [] : await findMentionable(app.db, question.id, search))
  })
  app.get('/mentions/courses/:course', { config }, async (request, reply) => {
    const { id } = await courseFor(request, 'mention')
    const search = searchOf(request, id)
    return send(request, reply, search === null ? [] : await findMembers(app.db, id, search))
  })
}

/** Members of a course find each other; who only reads it finds those whom its pages name. null: nobody is called so. */
function searchOf(request: FastifyRequest, courseId: number): MentionSearch | null {
  const person = request.requirePerson()
  const typed = queryParam(request, 'q') ?? ''
  if (lengthOf(typed) > MAX_BEGINNING || typed.includes('\0')) return null
  const beginning = /[\p{L}\p{N}]/u.test(typed) ? typed : ''
  const findsMembers = person.isAdmin || person.roles[courseId] !== undefined
  return { beginning, exceptId: person.id, findsMembers }
}

function send(request: FastifyRequest, reply: FastifyReply, people: readonly Mentionable[]) {
  const { t, lang } = contextOf(request)
  // By letters, as names are found: a syllable that is still being typed is the beginning of the whole one.
  const letters = (text: string) => fold(text, 'find').normalize('NFKD')
  const typed = letters(queryParam(request, 'q') ?? '')
  const call = CALLS[lang].find((word) => letters(word).startsWith(typed)) ?? null
  return reply
    .header('cache-control', 'private, no-store')
    .type('text/html; charset=utf-8')
    .send(request.server.part('/writing/_people', { t, people, call }))
}
