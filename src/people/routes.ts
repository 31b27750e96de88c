import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { translatorOf } from '../messages/catalogue.ts'
import { cursorOf, listQuestions, type QuestionFilter } from '../questions/list.ts'
import { questionRow } from '../questions/row.ts'
import { formatDay } from '../text/dates.ts'
import { languageOfRequest } from '../web/language.ts'
import { pageLinks, pageRequest } from '../web/pages.ts'
import { choiceParam, idParam } from '../web/params.ts'
import { pathWith, personPath } from '../web/paths.ts'
import { notFound } from '../web/problem.ts'
import { initialsOf } from './initials.ts'
import { answerRow, type ProfilePage, profileRole } from './profile-view.ts'
import { findProfile, listAnswers, type Profile } from './queries.ts'

export function registerPeople(app: FastifyInstance): void {
  app.get('/people/:id', showPerson)
  app.get('/people/:id/:slug', showPerson)
}

/** A profile under its right address; a missing or outdated name leads there for good. */
async function showPerson(request: FastifyRequest, reply: FastifyReply) {
  const id = idParam(request, 'id')
  const shown = choiceParam(request, 'show', ['answers'], 'questions')
  const [person, list] = await Promise.all([
    findProfile(request.server.db, request.person, id),
    shown === 'answers' ? answersOf(request, id) : questionsOf(request, id),
  ])
  if (person === undefined) throw notFound()
  const path = personPath({ id, displayName: person.display_name })
  const [asked = '', query] = request.url.split('?')
  if (asked !== path) return reply.redirect(query === undefined ? path : `${path}?${query}`, 301)
  return reply.page(
    'people/show',
    { ...headOf(request, person, path), shown, ...list(path) },
    { canonical: path },
  )
}

type ProfileList = Pick<ProfilePage, 'questions' | 'answers' | 'newerPath' | 'olderPath'>

/** The list is asked for beside the person; its links need the name, which comes with the person. */
async function questionsOf(request: FastifyRequest, id: number): Promise<(path: string) => ProfileList> {
  const t = translatorOf(languageOfRequest(request))
  const page = await listQuestions(
    request.server.db,
    request.person,
    { ...NEWEST, authorId: id },
    pageRequest(request, 'time'),
  )
  const timeZone = request.person?.timeZone ?? null
  return (path) => ({
    questions: page.rows.map((question) => questionRow(question, { t, timeZone, showCourse: true })),
    answers: [],
    ...pageLinks(page, (question) => cursorOf(question, 'newest'), path),
  })
}

async function answersOf(request: FastifyRequest, id: number): Promise<(path: string) => ProfileList> {
  const page = await listAnswers(request.server.db, request.person, id, pageRequest(request, 'time'))
  const timeZone = request.person?.timeZone ?? null
  return (path) => ({
    questions: [],
    answers: page.rows.map((answer) => answerRow(answer, timeZone)),
    ...pageLinks(page, (answer) => ({ value: answer.written_at.getTime(), id: answer.id }), path, {
      show: 'answers',
    }),
  })
}

function headOf(request: FastifyRequest, person: Profile, path: string) {
  const timeZone = request.person?.timeZone ?? request.server.config.timeZone
  return {
    title: person.display_name,
    displayName: person.display_name,
    initials: initialsOf(person.display_name),
    joinedAt: { iso: person.joined_at.toISOString(), text: formatDay(person.joined_at, timeZone) },
    questionsCount: person.questions_count ?? 0,
    answersCount: person.answers_count ?? 0,
    roles: person.roles.map(profileRole),
    questionsPath: path,
    answersPath: pathWith(path, { show: 'answers' }),
    isOwn: request.person?.id === person.id,
  }
}

const NEWEST: QuestionFilter = {
  courseId: null,
  status: null,
  tagId: null,
  lectureId: null,
  authorId: null,
  sort: 'newest',
}
