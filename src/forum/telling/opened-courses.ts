import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { MAX_SWEPT_ROWS, term } from '../../database/terms.ts'
import type { Viewing } from '../../web/page-cache/rendering.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly openedCourses: ReturnType<typeof openedCoursesOf>
  }
}

/** Before the pool of the database ends, what was noted is written. */
export function registerOpenedCourses(app: FastifyInstance): void {
  const opened = openedCoursesOf(app)
  app.decorate('openedCourses', opened)
  app.addHook('onClose', () => opened.settled())
}

/**
 * What is unread in a course counts from when somebody first opens one of its pages signed in: what was there before would be
 * thousands of questions. Noted as a page is sent, as pages of the cache are, too.
 */
function openedCoursesOf(app: FastifyInstance) {
  const writing = new Set<Promise<void>>()
  return {
    /** Notes that a page of a course was opened; a prefetch does not count. */
    note({ method, headers, person }: Viewing, courseId: number): void {
      if (person === null || method !== 'GET' || headers['sec-purpose'] !== undefined) return
      const written = writeOpened(app, courseId, person.id)
      writing.add(written)
      void written.finally(() => writing.delete(written))
    },
    async settled(): Promise<void> {
      await Promise.all(writing)
    },
  }
}

async function writeOpened(app: FastifyInstance, courseId: number, personId: number): Promise<void> {
  const at = performance.now()
  try {
    const { readCourses } = await app.ownParts(personId)
    if (!readCourses.has(courseId))
      await beginCourseReads(app.db, { courseId, personId, age: performance.now() - at })
  } catch (error) {
    app.log.warn({ err: error }, 'courses that count from later on')
  }
}

/** Notes that a page of a course is opened: now, or each time the shared page that is rendered is sent. */
export function noteOpened(request: FastifyRequest, courseId: number): void {
  const { rendering, server } = request
  if (rendering === null) {
    server.openedCourses.note(request, courseId)
    return
  }
  const { onSent } = rendering
  rendering.onSent = (viewing) => {
    onSent?.(viewing)
    server.openedCourses.note(viewing, courseId)
  }
}

/** How long the database knows of each question apart until when somebody has read it. */
const LIFE = term('questionReads')

/**
 * Somebody has read a course up to a time: course_reads.read_up_to. Whatever was posted there until then counts as read by them,
 * opened or not; a row of question_reads counts where it is later. An older time than the one that is known changes nothing.
 */
export async function markCourseRead(
  write: Write,
  courseId: number,
  personId: number,
  until: RawBuilder<Date>,
): Promise<void> {
  await sql`
    insert into course_reads as known (course_id, person_id, read_up_to)
    select ${courseId}::bigint, id, ${until}::timestamptz(3)
    from people where id = ${personId} and left_at is null for key share
    on conflict on constraint course_reads_pkey do update set read_up_to = excluded.read_up_to
    where known.read_up_to < excluded.read_up_to`.execute(write)
}

/**
 * Begins the course_reads of somebody who opened a course for the first time; those that are there stay as they are.
 * @param opening `age`: milliseconds since then
 */
export async function beginCourseReads(
  db: Database,
  opening: { readonly courseId: number; readonly personId: number; readonly age: number },
): Promise<void> {
  await sql`
    insert into course_reads (course_id, person_id, read_up_to)
    select course.id, person.id, now() - ${opening.age}::float8 * interval '1 millisecond'
    from people as person join courses as course on course.id = ${opening.courseId}
    where person.id = ${opening.personId} and person.left_at is null
    for key share of person
    on conflict on constraint course_reads_pkey do nothing`.execute(db)
}

/**
 * Replaces old reads of single questions by the latest of them in their course, at most MAX_SWEPT_ROWS at once: so what somebody
 * has read stays read. Locked rows are left for the next time, and so are those of people whose account is being closed or merged.
 * @returns the number of rows folded
 */
export async function foldOldReads(db: Database): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    with old as (
      delete from question_reads where ctid = any(array(
        select reads.ctid from question_reads as reads join people as person on person.id = reads.person_id
        where reads.read_at < now() - ${LIFE} order by reads.read_at limit ${MAX_SWEPT_ROWS}
        for update of reads skip locked for key share of person skip locked))
      returning question_id, person_id, read_at),
    kept as (
      insert into course_reads as known (course_id, person_id, read_up_to)
      select question.course_id, old.person_id, max(old.read_at)
      from old join questions as question on question.id = old.question_id
      group by question.course_id, old.person_id order by question.course_id, old.person_id
      on conflict on constraint course_reads_pkey do update
      set read_up_to = greatest(known.read_up_to, excluded.read_up_to))
    select count(*)::integer as folded from old`.execute(db)
  return rows[0]?.folded ?? 0
}
