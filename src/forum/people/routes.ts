import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { agedMoment, writtenDate } from '../../messages/spoken-moment.ts'
import { languageOf } from '../../text/language.ts'
import { excerpt } from '../../text/plain.ts'
import { translatorFor } from '../../web/language.ts'
import { ownTextOf } from '../../web/own-parts.ts'
import { pageLinks, pageRequest } from '../../web/pages.ts'
import { choiceParam, idParam, queryParam } from '../../web/params.ts'
import { answerPath, coursePath, movedTo, pathWith, personPath, tagPath } from '../../web/paths.ts'
import { personByline } from '../authors/byline.ts'
import { personActs } from '../cases/person-acts.ts'
import { cursorOf, dependOnList, listQuestions } from '../reading/list.ts'
import { NEWEST } from '../reading/list-filter.ts'
import { questionRow } from '../reading/row.ts'
import { becameFor, findProfile, listAnswers, type Profile, type WrittenAnswer } from './queries.ts'

export function registerPeople(app: FastifyInstance): void {
  const shared = { config: { shared: { parameters: ['course', 'show', 'after', 'before'] } } }
  app.get('/people/:id', shared, showPerson)
  app.get('/people/:id/:slug', shared, showPerson)
  app.get('/people/:id/:slug/*', shared, showPerson)
}

/** A profile under its right address; a missing or outdated name leads there for good. */
async function showPerson(request: FastifyRequest, reply: FastifyReply) {
  const id = idParam(request, 'id')
  const person = await findProfile(request.server.db, request.person, id)
  if (person === undefined) return showMerged(request, reply, id)
  const path = personPath({ id, displayName: person.display_name })
  const [asked = ''] = request.url.split('?')
  if (asked !== path) return movedTo(request, reply, path)
  request.rendering?.dependsOn('site', `person:${id}`, `profile:${id}`)
  return reply.page('people/show', await personPage(request, person, path), { canonical: path })
}

export type PersonPage = Awaited<ReturnType<typeof personPage>>

async function personPage(request: FastifyRequest, person: Profile, path: string) {
  const { id } = person
  const shown = choiceParam(request, 'show', ['questions', 'answers'], null) ?? firstShown(person)
  const list = await (shown === 'answers' ? answersOf(request, id, path) : questionsOf(request, id, path))
  return { ...(await headOf(request, person, path)), shown, ...list }
}

/**
 * An account that was merged into another leads there, if the viewer may know of both: where it was known, they could follow it. Not for
 * good: a merge can be undone.
 */
async function showMerged(request: FastifyRequest, reply: FastifyReply, id: number) {
  const { db } = request.server
  const became = await becameFor(db, request.person, id)
  const person = became === null ? undefined : await findProfile(db, request.person, became)
  if (person === undefined) throw notFound()
  return reply.redirect(personPath({ id: person.id, displayName: person.display_name }), 302)
}

/** Who only answers, as instructors do, is shown by the answers. */
function firstShown(person: Profile) {
  return person.asked.count === 0 && person.answered.count > 0 ? 'answers' : 'questions'
}

async function questionsOf(request: FastifyRequest, id: number, path: string) {
  const { db } = request.server
  const filter = { ...NEWEST, authorId: id }
  const page = await listQuestions(db, request.person, filter, pageRequest(request, 'time'))
  dependOnList(request, filter, page.rows)
  const t = translatorFor(request)
  const timeZone = request.person?.timeZone ?? null
  const own = await ownTextOf(request)
  const look = { t, viewer: request.person, timeZone, showCourse: true, own, now: new Date() }
  // HTML of each.
  const questions: string[] = page.rows.map((question) =>
    request.server.part('/questions/_question-row', { t, question: questionRow(question, look) }),
  )
  return {
    questions,
    answers: [],
    ...pageLinks(page, (question) => cursorOf(question, 'newest'), path, {
      show: 'questions',
      course: queryParam(request, 'course'),
    }),
  }
}

async function answersOf(request: FastifyRequest, id: number, path: string) {
  const page = await listAnswers(request.server.db, request.person, id, pageRequest(request, 'time'))
  for (const answer of page.rows) request.rendering?.dependsOn(`question:${answer.question_id}`)
  const timeZone = request.person?.timeZone ?? null
  const t = translatorFor(request)
  const cursorOfAnswer = (answer: WrittenAnswer) => ({ value: answer.written_at.getTime(), id: answer.id })
  return {
    questions: [],
    answers: page.rows.map((answer) => answerRow(answer, timeZone, t)),
    ...pageLinks(page, cursorOfAnswer, path, { show: 'answers', course: queryParam(request, 'course') }),
  }
}

async function headOf(request: FastifyRequest, person: Profile, path: string) {
  const { asked, answered, best } = person
  const timeZone = request.person?.timeZone ?? request.server.config.timeZone
  const course = queryParam(request, 'course')
  return {
    title: person.display_name,
    displayName: person.display_name,
    byline: personByline({ id: person.id, displayName: person.display_name, role: null }),
    joinedAt: writtenDate(person.joined_at, timeZone, translatorFor(request)),
    questionsCount: asked.count,
    answersCount: answered.count,
    acceptedCount: answered.accepted,
    endorsedCount: answered.endorsed,
    votesCount: asked.votes + answered.votes,
    tags: person.tags.map(({ name, count }) => ({ name, path: tagPath(name), count })),
    best: best === null ? null : bestAnswer(best),
    roles: person.roles.map(({ role, slug, title, language }) => ({
      role,
      course: { text: title, path: coursePath(slug), lang: language },
    })),
    questionsPath: pathWith(path, { show: 'questions', course }),
    answersPath: pathWith(path, { show: 'answers', course }),
    isOwn: request.person?.id === person.id,
    acts: await personActs(request, { ...person, isAdmin: person.is_admin }, timeZone),
  }
}

const EXCERPT = 200

/** @param timeZone the viewer's; null: each course's own */
export function answerRow(answer: WrittenAnswer, timeZone: string | null, t: Translate) {
  const text = excerpt(answer.body_html, EXCERPT)
  return {
    path: answerPath({ id: answer.question_id, title: answer.title }, answer.id),
    title: answer.title,
    titleLang: languageOf(answer.title),
    excerpt: text,
    excerptLang: languageOf(text),
    votesCount: answer.votes_count,
    isAccepted: answer.is_accepted,
    writtenAt: agedMoment(answer.written_at, timeZone ?? answer.time_zone, t, new Date()),
    course: { text: answer.course_title, path: coursePath(answer.course_slug) },
  }
}

function bestAnswer({ id, question_id, title, ...best }: NonNullable<Profile['best']>) {
  const path = answerPath({ id: question_id, title }, id)
  return { text: title, path, lang: languageOf(title), ...best }
}
