import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../database/schema.ts'
import type { Person } from '../../rights/person.ts'
import { languageOf } from '../../text/language.ts'
import { translatorFor } from '../../web/language.ts'
import { type PageLinks, pageLinks, pageRequest } from '../../web/pages.ts'
import { coursePath, pathWith, questionPath, tagPath } from '../../web/paths.ts'
import { followedCourses, followedLectures, followedQuestions, followedTags } from './queries.ts'

/** Something that is followed, and where ending that is posted. */
export interface Followed {
  readonly text: string
  readonly lang: Language | string | null
  readonly path: string
  readonly action: string
  /** The course of a lecture. */
  readonly of: string | null
  /** Of a question: nothing in it is told. */
  readonly isMuted: boolean
}

/** All that one follows: views/follows/index.eta. */
interface FollowingPage extends PageLinks {
  readonly groups: readonly { readonly kind: FollowedKind; readonly items: readonly Followed[] }[]
  readonly isEmpty: boolean
}

type FollowedKind = 'courses' | 'lectures' | 'tags' | 'questions'

export async function showFollowing(request: FastifyRequest, reply: FastifyReply, person: Person) {
  const { db } = request.server
  const page = await followedQuestions(db, person, pageRequest(request, 'time'))
  const [courses, lectures, tags] = await Promise.all([
    followedCourses(db, person),
    followedLectures(db, person),
    followedTags(db, person),
  ])
  const groups: FollowingPage['groups'] = [
    {
      kind: 'courses',
      items: courses.map((course) => followed(course.title, course.language, coursePath(course.slug))),
    },
    {
      kind: 'lectures',
      items: lectures.map(({ slug, title, position, lectureTitle, language }) => ({
        ...followed(lectureTitle, language, pathWith(coursePath(slug), { lecture: position })),
        action: `${coursePath(slug)}/lectures/${position}/following`,
        of: title,
      })),
    },
    { kind: 'tags', items: tags.map(({ name }) => followed(`#${name}`, null, tagPath(name))) },
    {
      kind: 'questions',
      items: page.rows.map(({ id, title, audience, isMuted }) => ({
        ...followed(title, languageOf(title), questionPath({ id, title, audience })),
        action: `/questions/${id}/following`,
        isMuted,
      })),
    },
  ]
  const shown = groups.filter(({ items }) => items.length > 0)
  const cursorOf = (row: (typeof page.rows)[number]) => ({ value: row.followedAt.getTime(), id: row.id })
  return reply.page<FollowingPage>(
    'follows/index',
    {
      title: translatorFor(request)('follows.index.title'),
      groups: shown,
      isEmpty: shown.length === 0,
      ...pageLinks(page, cursorOf, '/following'),
    },
    { robots: 'noindex' },
  )
}

function followed(text: string, lang: Followed['lang'], path: string): Followed {
  return { text, lang, path, action: `${path}/following`, of: null, isMuted: false }
}
