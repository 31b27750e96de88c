import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Language, Role } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { agedMoment, writtenDate } from '../../messages/spoken-moment.ts'
import { languageOf } from '../../text/language.ts'
import type { Moment } from '../../text/moment.ts'
import { excerpt } from '../../text/plain.ts'
import { translatorFor } from '../../web/language.ts'
import { ownTextOf } from '../../web/own-parts.ts'
import { type PageLinks, pageLinks, pageRequest } from '../../web/pages.ts'
import { choiceParam, idParam, queryParam } from '../../web/params.ts'
import { answerPath, coursePath, movedTo, pathWith, personPath, tagPath } from '../../web/paths.ts'
import { type Byline, personByline } from '../authors/byline.ts'
import { actPlaces, type PersonActs, personActs } from '../cases/person-acts.ts'
import { measuresInForce } from '../handling/in-force.ts'
import { cursorOf, dependOnList, listQuestions } from '../reading/list.ts'
import { NEWEST } from '../reading/list-filter.ts'
import { type Link, questionRow } from '../reading/row.ts'
import {
  type BestAnswer,
  becameFor,
  findProfile,
  listAnswers,
  type Profile,
  type WrittenAnswer,
} from './queries.ts'

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
  const shown = choiceParam(request, 'show', ['questions', 'answers'], null) ?? firstShown(person)
  const list = await (shown === 'answers' ? answersOf(request, id, path) : questionsOf(request, id, path))
  return reply.page<ProfilePage>(
    'people/show',
    { ...(await headOf(request, person, path)), shown, ...list },
    { canonical: path },
  )
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
function firstShown(person: Profile): 'questions' | 'answers' {
  return person.asked.count === 0 && person.answered.count > 0 ? 'answers' : 'questions'
}

type ProfileList = Pick<ProfilePage, 'questions' | 'answers' | 'newerPath' | 'olderPath'>

async function questionsOf(request: FastifyRequest, id: number, path: string): Promise<ProfileList> {
  const { db } = request.server
  const filter = { ...NEWEST, authorId: id }
  const page = await listQuestions(db, request.person, filter, pageRequest(request, 'time'))
  dependOnList(request, filter, page.rows)
  const t = translatorFor(request)
  const timeZone = request.person?.timeZone ?? null
  const own = await ownTextOf(request)
  const look = { t, viewer: request.person, timeZone, showCourse: true, own, now: new Date() }
  return {
    questions: page.rows.map((question) =>
      request.server.part('/questions/_question-row', { t, question: questionRow(question, look) }),
    ),
    answers: [],
    ...pageLinks(page, (question) => cursorOf(question, 'newest'), path, {
      show: 'questions',
      course: queryParam(request, 'course'),
    }),
  }
}

async function answersOf(request: FastifyRequest, id: number, path: string): Promise<ProfileList> {
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
  const timeZone = request.person?.timeZone ?? request.server.config.timeZone
  return {
    title: person.display_name,
    displayName: person.display_name,
    byline: personByline({ id: person.id, displayName: person.display_name, role: null }),
    joinedAt: writtenDate(person.joined_at, timeZone, translatorFor(request)),
    ...profileNumbers(person),
    roles: person.roles.map(profileRole),
    questionsPath: pathWith(path, {
      show: 'questions',
      course: queryParam(request, 'course'),
    }),
    answersPath: pathWith(path, { show: 'answers', course: queryParam(request, 'course') }),
    isOwn: request.person?.id === person.id,
    acts: await actsOf(request, person, timeZone),
  }
}

/** What is in force is read for those alone who may act on it. */
async function actsOf(request: FastifyRequest, person: Profile, timeZone: string) {
  const { person: viewer, server } = request
  const { id, roles } = person
  const places = actPlaces(viewer, { id, isAdmin: person.is_admin, roles })
  const inForce = places.length === 0 ? [] : await measuresInForce(server.db, id)
  return personActs(viewer, id, places, inForce, { t: translatorFor(request), timeZone })
}

/** Everything a profile shows: one of the two lists, as `shown` says; the other is empty. */
interface ProfilePage extends PageLinks {
  readonly displayName: string
  readonly byline: Byline
  readonly joinedAt: { readonly iso: string; readonly text: string }
  readonly questionsCount: number
  readonly answersCount: number
  /** Of answers: marked by the asker, and by staff. */
  readonly acceptedCount: number
  readonly endorsedCount: number
  /** On questions and answers. */
  readonly votesCount: number
  /** What the answers are about, most first. */
  readonly tags: readonly AnsweredTagView[]
  /** null: no answer was found good yet. */
  readonly best: BestAnswerView | null
  readonly roles: readonly ProfileRole[]
  readonly shown: 'questions' | 'answers'
  readonly questionsPath: string
  readonly answersPath: string
  /** HTML of each: views/questions/_question-row.eta. */
  readonly questions: readonly string[]
  readonly answers: readonly AnswerRow[]
  readonly isOwn: boolean
  readonly acts: PersonActs
}

export interface ProfileRole {
  readonly role: Role
  readonly course: Link & { readonly lang: Language }
}

export interface AnsweredTagView {
  readonly name: string
  readonly path: string
  readonly count: number
}

export interface BestAnswerView extends Link {
  readonly lang: string | null
  readonly votesCount: number
  readonly isAccepted: boolean
  /** null: nobody of the staff endorsed it. */
  readonly endorsedBy: string | null
}

/** An answer in the list of a person's answers: views/people/_answer-row.eta. */
export interface AnswerRow {
  readonly path: string
  readonly title: string
  readonly titleLang: string | null
  readonly excerpt: string
  readonly excerptLang: string | null
  readonly votesCount: number
  readonly isAccepted: boolean
  readonly writtenAt: Moment
  readonly course: Link
}

const EXCERPT = 200

/** @param timeZone the viewer's; null: each course's own */
function answerRow(answer: WrittenAnswer, timeZone: string | null, t: Translate): AnswerRow {
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

function profileNumbers({ asked, answered, tags, best }: Profile) {
  return {
    questionsCount: asked.count,
    answersCount: answered.count,
    acceptedCount: answered.accepted,
    endorsedCount: answered.endorsed,
    votesCount: asked.votes + answered.votes,
    tags: tags.map(({ name, count }) => ({ name, path: tagPath(name), count })),
    best: best === null ? null : bestAnswer(best),
  }
}

function bestAnswer({ id, question_id, title, votes, isAccepted, endorser }: BestAnswer): BestAnswerView {
  return {
    text: title,
    path: answerPath({ id: question_id, title }, id),
    lang: languageOf(title),
    votesCount: votes,
    isAccepted,
    endorsedBy: endorser,
  }
}

function profileRole({ role, ...course }: Profile['roles'][number]): ProfileRole {
  return { role, course: { text: course.title, path: coursePath(course.slug), lang: course.language } }
}
