import type { Audience, Database } from '../../database/schema.ts'
import type { Person } from '../../rights/person.ts'
import { seesNames } from '../../rights/rights.ts'
import { type FormState, refuse } from '../../web/form.ts'
import type { AskableCourse } from '../courses/choices.ts'
import { indexQuestions } from '../search/index-question.ts'
import { hideMentionsOfAsker } from './hidden-mentions.ts'
import { lockQuestion } from './lock.ts'

/** Who reads a question, and whether classmates see who asked. */
export interface Openness {
  readonly audience: Audience
  readonly isAnonymous: boolean
}

/** Whether somebody may post anonymously in a course: staff speak under their names. */
export function mayHide(
  person: Person,
  course: { readonly id: number; readonly allowsAnonymous: boolean },
): boolean {
  return course.allowsAnonymous && !seesNames(person, course.id)
}

/** What a form says of both, or the form with what is wrong about it. */
export function opennessIn(
  course: AskableCourse,
  person: Person,
  form: FormState,
  { audience, anonymous }: { readonly audience: Audience | null; readonly anonymous: boolean },
): ({ ok: true } & Openness) | { ok: false; form: FormState } {
  let refused = form
  if (audience === 'staff' && !course.allowsPrivate) refused = refuse(refused, 'audience', 'audience.off')
  if (anonymous && !mayHide(person, course))
    refused = refuse(refused, 'anonymous', course.allowsAnonymous ? 'anonymous.staff' : 'anonymous.off')
  if (refused !== form) return { ok: false, form: refused }
  return { ok: true, audience: audience ?? 'course', isAnonymous: anonymous }
}

/** Keeps a question and everything under it to its asker and the staff. Twice is once. */
export async function withdrawQuestion(db: Database, id: number): Promise<void> {
  await db.transaction().execute(async (write) => {
    await lockQuestion(write, id)
    await write.updateTable('questions').set({ audience: 'staff' }).where('id', '=', id).execute()
    await indexQuestions(write, [id])
  })
}

/**
 * Opens a private question to the course; one that is open stays as it is.
 * @param isAnonymous whether classmates see the asker's name on the question and on all that the asker wrote under it;
 *   null: as each post is
 */
export async function openQuestion(db: Database, id: number, isAnonymous: boolean | null): Promise<void> {
  await db.transaction().execute(async (write) => {
    await lockQuestion(write, id)
    const opened = await write
      .updateTable('questions')
      .set({ audience: 'course' })
      .where('id', '=', id)
      .where('audience', '=', 'staff')
      .returning('author_id')
      .executeTakeFirst()
    if (opened === undefined) return
    if (isAnonymous !== null) {
      const asker = opened.author_id
      const own = { is_anonymous: isAnonymous }
      await write.updateTable('questions').set(own).where('id', '=', id).execute()
      for (const table of ['answers', 'replies'] as const)
        await write
          .updateTable(table)
          .set(own)
          .where('question_id', '=', id)
          .where('author_id', '=', asker)
          .execute()
    }
    await hideMentionsOfAsker(write, id)
    await write.updateTable('questions').set({ was_open: true }).where('id', '=', id).execute()
    await indexQuestions(write, [id])
  })
}

/** What decides how a question may be opened, or kept: the course's switches, and whether classmates ever saw it. */
export async function findOpenness(db: Database, id: number) {
  return db
    .selectFrom('questions as q')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select(['q.audience', 'q.is_anonymous as isAnonymous', 'q.was_open as wasOpen'])
    .select([
      'course.id as courseId',
      'course.allows_private as allowsPrivate',
      'course.allows_anonymous as allowsAnonymous',
    ])
    .where('q.id', '=', id)
    .executeTakeFirstOrThrow()
}
