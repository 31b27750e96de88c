import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { DEPARTURE } from '../../accounts/deletion/departure.ts'
import type { Database } from '../../database/schema.ts'
import { personByline } from '../../forum/authors/byline.ts'
import { recordOf } from '../../forum/cases/find.ts'
import { personActs } from '../../forum/cases/pages/person-act-page.ts'
import { listUndoable } from '../../forum/merging/preview.ts'
import { notFound } from '../../kernel/problem.ts'
import { canSignIn } from '../../kernel/rights/person.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { type FormState, freshForm, sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam, textParam } from '../../web/params.ts'
import { coursePath, membersPath, pathWith, personPath } from '../../web/paths.ts'
import { adminPage } from './nav.ts'
import { changeAdmin, deleteAccount } from './operations.ts'

/** One account, for admins. */
export const showPerson = adminPage(
  'admin/person',
  '/admin/people',
  async (context, form: FormState = freshForm(), shownId: number = idParam(context, 'id')) => {
    const { t, db } = context
    const person = await findPerson(db, shownId)
    if (person === undefined) throw notFound()
    const timeZone = await context.timeZone()
    const { id, displayName, email, lastSeenAt } = person
    return {
      ...person,
      title: displayName,
      byline: personByline({ id, displayName, role: null }),
      joinedAt: writtenDate(person.joinedAt, timeZone, t),
      lastSeen: lastSeenAt === null ? null : writtenDate(lastSeenAt, timeZone, t),
      courses: person.courses.map(({ slug, title, language, role }) => ({
        ...{ text: title, path: coursePath(slug), lang: language, role },
        membersPath: pathWith(membersPath(slug), { q: email ?? displayName }),
      })),
      profilePath: personPath({ id, displayName }),
      auditPath: pathWith('/audit', { actor: id }),
      // What is typed to delete it.
      called: email ?? displayName,
      form,
      acts: await personActs(context, { ...person, roles: person.courses }, timeZone),
      // Cases about them in all courses, with what they led to.
      record: await recordOf(db, id, null),
      mergePath: `/admin/people/${id}/merge`,
      merged: (await listUndoable(db, id)).map((merge) => ({
        id: merge.fromId,
        name: merge.name,
        mergedAt: writtenDate(merge.mergedAt, timeZone, t),
        until: writtenDate(merge.undoableUntil, timeZone, t),
      })),
      head: { address: `/admin/people/${id}` },
    }
  },
)

function findPerson(db: Database, id: number) {
  return db
    .selectFrom('people as person')
    .select(['person.id', 'person.display_name as displayName', 'person.email', 'person.is_admin as isAdmin'])
    .select(['person.joined_at as joinedAt', 'person.questions_count as questionsCount'])
    .select('person.is_unclaimed as isUnclaimed')
    .select(['person.answers_count as answersCount', canSignIn().as('canSignIn')])
    .select(({ selectFrom }) => [
      sql<boolean>`person.email_confirmed_at is not null`.as('isConfirmed'),
      selectFrom('sessions')
        .select(({ fn }) => fn.max('last_seen_at').as('last'))
        .whereRef('sessions.person_id', '=', 'person.id')
        .as('lastSeenAt'),
      jsonArrayFrom(
        selectFrom('course_members as member')
          .innerJoin('courses as course', 'course.id', 'member.course_id')
          .select(['course.id', 'course.slug', 'course.title', 'course.language', 'member.role'])
          .whereRef('member.person_id', '=', 'person.id')
          .orderBy('course.id', 'desc'),
      ).as('courses'),
    ])
    .where('person.id', '=', id)
    .where('person.left_at', 'is', null)
    .executeTakeFirst()
}

const PATH = '/admin/people/:id'
const pageOf = (request: FastifyRequest) => `/admin/people/${textParam(request, 'id')}`

export function registerAdminPerson(app: FastifyInstance): void {
  app.get(PATH, (request, reply) => showPerson(request, reply))
  const door = {
    key: (request: FastifyRequest) => textParam(request, 'id'),
    formPage: pageOf,
    input: (request: FastifyRequest) => ({ ...sentFields(request.body), person: textParam(request, 'id') }),
    refused: showPerson,
  }
  openForm(app, `${PATH}/admin`, changeAdmin, {
    ...door,
    done: (_, request) => pageOf(request),
    flash: () => 'admin.person.saved',
  })
  openForm(app, `${PATH}/delete`, deleteAccount, {
    ...door,
    done: () => '/admin/people',
    flash: (_, done) => {
      if (app.changes !== null) app.jobs.wake(DEPARTURE)
      return done?.isUnclaimed === true ? 'admin.person.unnamed' : 'admin.person.deleted'
    },
  })
}
