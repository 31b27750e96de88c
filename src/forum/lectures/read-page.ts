import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { lecturesPath } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import type { ReadLectures } from '../courses/lecture-file.ts'
import type { Course } from '../courses/queries.ts'
import { requireFew } from './commands.ts'
import { askedPositions, listLectures } from './queries.ts'
import { type Effected, effectsOf } from './read-lectures.ts'

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
