import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import type { Scope } from '../../web/change-feed/change.ts'
import { ScopedCache } from '../../web/change-feed/scoped-cache.ts'
import type { OwnParts } from '../../web/own-parts.ts'

/** People whose own parts one process remembers. */
const MAX_PEOPLE = 1000

/** What a person has of their own, as the database keeps it. */
interface Own {
  /** `course.3`, `lecture.7`, `tag.12`. */
  readonly followed: ReadonlySet<string>
}

const NOTHING: Own = { followed: new Set() }

/** Gives pages the parts that are one person's own, read once until they change. */
export function registerOwnParts(app: FastifyInstance): void {
  const cache = new ScopedCache<Own>(app.changes, { maxSize: MAX_PEOPLE })
  app.decorate('ownParts', async (personId: number) => {
    try {
      return partsOf(await cache.find(String(personId), () => load(app.db, personId)))
    } catch (error) {
      app.log.warn({ err: error, personId }, 'a page without its reader’s own parts')
      return partsOf(NOTHING)
    }
  })
}

function partsOf({ followed }: Own): OwnParts {
  return { unseenCount: 0, text: (slot, t) => textOf(slot, t, followed) }
}

/** `follow-value.course.3` and `follow-word.course.3`: the button that follows a place. */
function textOf(slot: string, t: Translate, followed: ReadonlySet<string>): string {
  const [name = '', ...subject] = slot.split('.')
  const isFollowed = followed.has(subject.join('.'))
  if (name === 'follow-value') return isFollowed ? '0' : '1'
  if (name === 'follow-word') return t(isFollowed ? 'follows.unfollow' : 'follows.follow')
  return ''
}

async function load(db: Database, personId: number) {
  const { rows } = await sql<{ followed: string[] }>`
    select array(
      select 'course.' || course_id from course_follows where person_id = ${personId} and is_followed
      union select 'course.' || course_id from course_members where person_id = ${personId} and role <> 'learner'
        and not exists (select from course_follows as said
          where said.course_id = course_members.course_id and said.person_id = ${personId})
      union select 'lecture.' || lecture_id from lecture_follows where person_id = ${personId}
      union select 'tag.' || tag_id from tag_follows where person_id = ${personId}) as followed`.execute(db)
  const scopes = new Set<Scope>([`own:${personId}`, `person:${personId}`])
  return { value: { followed: new Set(rows[0]?.followed) }, scopes }
}
