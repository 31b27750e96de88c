import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { lecturesPath } from '../../web/paths.ts'
import type { LectureTitle } from '../courses/commands.ts'
import { barOf } from '../courses/course-bar.ts'
import type { ReadLectures } from '../courses/lecture-file.ts'
import type { Course } from '../courses/queries.ts'
import { placed, requireFew } from './commands.ts'
import { askedPositions, listLectures } from './queries.ts'

/** What was read of a list, before anything is saved: views/lectures/read.eta. */
interface ReadPage {
  readonly action: string
  readonly typed: FormState['typed']
  readonly lines: readonly Effected[]
  readonly counts: Readonly<Record<Effected['effect'], number>>
}

/**
 * Shows what saving a list would do.
 * @param typed the text and the mode, which are sent again to be saved
 * @throws Refused
 */
export async function showRead(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  read: ReadLectures,
  { typed }: FormState,
) {
  const { db } = request.server
  const t = translatorFor(request)
  const mode = typed.mode === 'replace' ? 'replace' : 'add'
  const there = await listLectures(db, course.id)
  const lines = effectsOf(read, there, await askedPositions(db, course.id), mode)
  const count = (effect: Effected['effect']) => lines.filter((line) => line.effect === effect).length
  const counts = {
    new: count('new'),
    renamed: count('renamed'),
    same: count('same'),
    deleted: count('deleted'),
    kept: count('kept'),
  }
  const total = mode === 'replace' ? lines.length - counts.deleted : there.length + counts.new
  requireFew(total)
  return reply.page<ReadPage>(
    'lectures/read',
    { title: t('lectures.read.title'), action: lecturesPath(course.slug), typed, lines, counts },
    { course: course.slug, bar: await barOf(request, course, 'lectures'), isForStaff: true },
  )
}

export type Effect = 'new' | 'renamed' | 'same' | 'deleted' | 'kept'

/** A line of what was read: a lecture as it would be, and what it is today. */
interface Effected extends LectureTitle {
  readonly effect: Effect
  /** Today's title of one that is renamed. */
  readonly former: string | null
}

/**
 * What saving a list would make of the lectures of a course, by position. In `replace`, those that are not named are deleted,
 * but for those with questions.
 * @param there by position
 * @param asked positions of those with questions
 * @throws Refused
 */
function effectsOf(
  read: ReadLectures,
  there: readonly LectureTitle[],
  asked: ReadonlySet<number>,
  mode: 'add' | 'replace',
): Effected[] {
  const named = mode === 'add' ? placed(read, there) : read.lectures
  const today = new Map(there.map((one) => [one.position, one]))
  const taken = new Set(named.map(({ position }) => position))
  const lines: Effected[] = named.map(({ position, title }) => {
    const former = today.get(position)?.title ?? null
    const isSame = former === title
    const effect = former === null ? 'new' : isSame ? 'same' : 'renamed'
    return { position, title, effect, former: effect === 'renamed' ? former : null }
  })
  if (mode === 'replace') {
    for (const { position, title } of there) {
      if (!taken.has(position))
        lines.push({ position, title, effect: asked.has(position) ? 'kept' : 'deleted', former: null })
    }
  }
  return lines.sort((one, other) => one.position - other.position)
}
