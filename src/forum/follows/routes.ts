import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { readableTo, visibleTo } from '../../kernel/rights/visibility.ts'
import { languageOf } from '../../text/language.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { openMark } from '../../web/forms/mark.ts'
import { listPage } from '../../web/list.ts'
import { page } from '../../web/page.ts'
import { textParam } from '../../web/params.ts'
import { backPath, coursePath, pathWith, questionPath, tagPath } from '../../web/paths.ts'
import { courseFollowing, followingEnd, lectureFollowing, tagFollowing } from './following.ts'

const FOLLOWING = '/following'

const courseIn = (request: FastifyRequest) => textParam(request, 'course')
const formPage = (request: FastifyRequest) => coursePath(courseIn(request))

export function registerFollows(app: FastifyInstance): void {
  app.get(FOLLOWING, (request, reply) => showFollowing(request, reply))
  openForm(app, FOLLOWING, followingEnd, {
    key: () => null,
    formPage: () => FOLLOWING,
    done: () => FOLLOWING,
    flash: () => 'follows.flash.ended',
  })
  openMark(app, courseFollowing, {
    key: courseIn,
    formPage,
    done: ({ subject }, request) => backPath(request, coursePath(subject.slug)),
  })
  openMark(app, lectureFollowing, {
    key: (request) => ({ slug: courseIn(request), part: textParam(request, 'position') }),
    formPage,
    done: ({ subject: { slug, part } }, request) =>
      backPath(request, pathWith(coursePath(slug), { lecture: part })),
  })
  openMark(app, tagFollowing, {
    key: () => null,
    formPage: (request) => tagPath(tagNameOf(textParam(request, 'tag'))),
    input: (request) => ({ ...sentFields(request.body), tag: textParam(request, 'tag') }),
    done: ({ name }, request) => backPath(request, tagPath(name)),
  })
}

export const showFollowing = page('follows/index', { robots: 'noindex' }, async (context) => {
  const { t, db } = context
  const person = context.person()
  const listed = await listPage(context, FOLLOWING, 'time', (asked) => followedQuestions(db, person, asked))
  const [courses, lectures, tags] = await Promise.all([
    followedCourses(db, person),
    followedLectures(db, person),
    followedTags(db, person),
  ])
  const groups = {
    courses: courses.map((course) => followed(course.title, course.language, coursePath(course.slug))),
    lectures: lectures.map(({ slug, title, position, lectureTitle, language }) => ({
      ...followed(lectureTitle, language, pathWith(coursePath(slug), { lecture: position }), title),
      action: `${coursePath(slug)}/lectures/${position}/following`,
    })),
    tags: tags.map(({ name }) => followed(`#${name}`, null, tagPath(name))),
    questions: listed.rows.map(({ isMuted, ...question }) => ({
      ...followed(question.title, languageOf(question.title), questionPath(question)),
      action: `/questions/${question.id}/following`,
      isMuted,
    })),
  }
  return {
    title: t('follows.index.title'),
    groups: Object.entries(groups).flatMap(([kind, items]) => (items.length === 0 ? [] : [{ kind, items }])),
    ...listed.links,
  }
})

/** `of`: the course of a lecture; `isMuted`: of a question, of which nothing is told. */
function followed(text: string, lang: string | null, path: string, of: string | null = null) {
  return { text, lang, path, action: `${path}/following`, of, isMuted: false }
}

const FOLLOWED_PER_PAGE = 50

/** The courses whose new questions somebody hears of, by title: those they chose, and those they are staff of unless they said no. */
function followedCourses(db: Database, viewer: Actor) {
  return db
    .selectFrom('courses as course')
    .leftJoin('course_follows as follow', (join) =>
      join.onRef('follow.course_id', '=', 'course.id').on('follow.person_id', '=', viewer.id),
    )
    .leftJoin('course_members as member', (join) =>
      join.onRef('member.course_id', '=', 'course.id').on('member.person_id', '=', viewer.id),
    )
    .select(['course.id', 'course.slug', 'course.title', 'course.language'])
    .where(sql<boolean>`coalesce(follow.is_followed, member.role <> 'learner', false)`)
    .where(visibleTo(viewer))
    .orderBy(sql`lower(course.title)`)
    .orderBy('course.id')
    .execute()
}

/** The lectures somebody follows, by course and position. */
function followedLectures(db: Database, viewer: Actor) {
  return db
    .selectFrom('lecture_follows as follow')
    .innerJoin('lectures as lecture', 'lecture.id', 'follow.lecture_id')
    .innerJoin('courses as course', 'course.id', 'lecture.course_id')
    .select(['course.id', 'course.slug', 'course.title', 'course.language'])
    .select(['lecture.position', 'lecture.title as lectureTitle'])
    .where('follow.person_id', '=', viewer.id)
    .where(visibleTo(viewer))
    .orderBy(sql`lower(course.title)`)
    .orderBy('course.id')
    .orderBy('lecture.position')
    .execute()
}

/** The tags somebody follows, as far as a course that they may read has them, by name. */
function followedTags(db: Database, viewer: Actor) {
  return db
    .selectFrom('tag_follows as follow')
    .innerJoin('tags as tag', 'tag.id', 'follow.tag_id')
    .select(['tag.id', 'tag.name'])
    .where('follow.person_id', '=', viewer.id)
    .where(
      sql<boolean>`exists (select from course_tags as used join courses as course on course.id = used.course_id
        where used.tag_id = tag.id and used.questions_count > 0 and ${visibleTo(viewer)})`,
    )
    .orderBy('tag.name')
    .execute()
}

/** One page of the questions somebody follows or muted, latest first. Uses index question_follows_person. */
async function followedQuestions(db: Database, viewer: Actor, request: PageRequest) {
  const page = pageAlong('follow.followed_at', 'follow.question_id', 'time', request)
  const rows = await db
    .selectFrom('question_follows as follow')
    .innerJoin('questions as q', 'q.id', 'follow.question_id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select(['q.id', 'q.title', 'q.audience', 'follow.followed_at as followedAt'])
    .select(sql<boolean>`follow.level = 'mute'`.as('isMuted'))
    .where('follow.person_id', '=', viewer.id)
    .where('q.is_shown', '=', true)
    .where(readableTo(viewer))
    .where(page.beyond)
    .orderBy(page.order)
    .limit(FOLLOWED_PER_PAGE + 1)
    .execute()
  return pageOf(rows, FOLLOWED_PER_PAGE, request, ({ followedAt }) => followedAt)
}
