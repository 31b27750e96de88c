import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasOffers } from '../../accounts/address/imported-address.ts'
import { notFound } from '../../kernel/problem.ts'
import { agedMoment, writtenDate } from '../../messages/spoken-moment.ts'
import { languageOf } from '../../text/language.ts'
import { excerpt } from '../../text/plain.ts'
import { listPage } from '../../web/list.ts'
import { type PageContext, page } from '../../web/page.ts'
import { choiceParam, idParam, queryParam } from '../../web/params.ts'
import { answerPath, coursePath, movedTo, pathWith, personPath, tagPath } from '../../web/paths.ts'
import { personByline } from '../authors/byline.ts'
import { personActs } from '../cases/pages/person-act-page.ts'
import { dependOnList, listQuestions } from '../reading/list.ts'
import { NEWEST } from '../reading/list-filter.ts'
import { questionRow } from '../reading/row.ts'
import { becameFor, findProfile, listAnswers, type Profile, type WrittenAnswer } from './queries.ts'

export function registerPeople(app: FastifyInstance): void {
  const shared = { config: { shared: { parameters: ['course', 'show', 'after', 'before'] } } }
  app.get('/people/:id', shared, openPerson)
  app.get('/people/:id/:slug', shared, openPerson)
  app.get('/people/:id/:slug/*', shared, openPerson)
}

/** A profile under its right address; a missing or outdated name leads there for good. */
async function openPerson(request: FastifyRequest, reply: FastifyReply) {
  const id = idParam(request, 'id')
  const person = await findProfile(request.server.db, request.person, id)
  if (person === undefined) return showMerged(request, reply, id)
  const path = personPath({ id, displayName: person.display_name })
  const [asked = ''] = request.url.split('?')
  return asked === path ? showPerson(request, reply, person, path) : movedTo(request, reply, path)
}

export const showPerson = page('people/show', {}, async (context, person: Profile, path: string) => {
  const { t, viewer, rendering } = context
  const { id, display_name: displayName, asked, answered, best } = person
  rendering?.dependsOn('site', `person:${id}`, `profile:${id}`)
  // Who only answers, as instructors do, is shown by the answers.
  const first = asked.count === 0 && answered.count > 0 ? 'answers' : 'questions'
  const shown = choiceParam(context, 'show', ['questions', 'answers'], first)
  const course = queryParam(context, 'course')
  const pathOf = (show: 'questions' | 'answers') => pathWith(path, { show, course })
  const list = await (shown === 'answers' ? answersOf : questionsOf)(context, id, pathOf(shown))
  const timeZone = viewer?.timeZone ?? context.config.timeZone
  return {
    title: displayName,
    shown,
    ...list,
    byline: personByline({ id, displayName, role: null }),
    joinedAt: writtenDate(person.joined_at, timeZone, t),
    ...{ asked, answered, votesCount: asked.votes + answered.votes },
    tags: person.tags.map((tag) => ({ ...tag, path: tagPath(tag.name) })),
    best: best && {
      ...best,
      path: answerPath({ id: best.question_id, title: best.title }, best.id),
      lang: languageOf(best.title),
    },
    roles: person.roles.map(({ role, slug, title, language }) => ({
      role,
      course: { text: title, path: coursePath(slug), lang: language },
    })),
    questionsPath: pathOf('questions'),
    answersPath: pathOf('answers'),
    isOwn: viewer?.id === id,
    // Which only its owner sees: no page that is shared is of theirs.
    hasOffers: viewer?.id === id && (await hasOffers(context.db, id)),
    acts: await personActs(context, { ...person, isAdmin: person.is_admin }, timeZone),
    head: { canonical: path },
  }
})

/**
 * An account that was merged into another leads there, if the viewer may know of both. Not for good: a merge
 * can be undone.
 */
async function showMerged(request: FastifyRequest, reply: FastifyReply, id: number) {
  const { db } = request.server
  const became = await becameFor(db, request.person, id)
  const person = became === null ? undefined : await findProfile(db, request.person, became)
  if (person === undefined) throw notFound()
  return reply.redirect(personPath({ id: person.id, displayName: person.display_name }), 302)
}

async function questionsOf(context: PageContext, id: number, path: string) {
  const { t, db, server, viewer } = context
  const filter = { ...NEWEST, authorId: id }
  const listed = await listPage(context, path, 'time', (asked) => listQuestions(db, viewer, filter, asked))
  dependOnList(context, filter, listed.rows)
  const own = await context.own()
  const look = { ...context, own, timeZone: viewer?.timeZone ?? null, showCourse: true }
  // HTML of each.
  const questions: string[] = listed.rows.map((question) =>
    server.part('/questions/_question-row', { t, question: questionRow(question, look) }),
  )
  return {
    questions,
    answers: [],
    ...listed.links,
  }
}

async function answersOf(context: PageContext, id: number, path: string) {
  const { db, viewer } = context
  const listed = await listPage(context, path, 'time', (asked) => listAnswers(db, viewer, id, asked))
  for (const answer of listed.rows) context.rendering?.dependsOn(`question:${answer.question_id}`)
  return {
    questions: [],
    answers: listed.rows.map((answer) => answerRow(context, answer)),
    ...listed.links,
  }
}

const EXCERPT = 200

export function answerRow({ t, viewer, now }: PageContext, answer: WrittenAnswer) {
  const text = excerpt(answer.body_html, EXCERPT)
  return {
    path: answerPath({ id: answer.question_id, title: answer.title }, answer.id),
    title: answer.title,
    titleLang: languageOf(answer.title),
    excerpt: text,
    excerptLang: languageOf(text),
    votesCount: answer.votes_count,
    isAccepted: answer.is_accepted,
    writtenAt: agedMoment(answer.written_at, viewer?.timeZone ?? answer.time_zone, t, now),
    course: { text: answer.course_title, path: coursePath(answer.course_slug) },
  }
}
