import type { Operation } from '../../kernel/operation.ts'
import { act } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aQuestion } from '../../testing/builders.ts'
import { forumOfSuites, type TestForum } from '../../testing/forum.ts'

/** The forum in which the desk is tested. */
export const forumOfDesk = forumOfSuites()

/** The desk of a course with two lectures, whose two staff have browsers. */
export async function aDesk({ app, db }: TestForum) {
  const course = await aCourse(db, { lectures: ['One', 'Two'] })
  const staff = await aMember(db, course, 'assistant')
  const colleague = await aMember(db, course, 'instructor')
  /** Asked so many hours ago. */
  const asks = (hours: number, title = `Waits for ${hours} hours`, lecture = 0) => {
    const writtenAt = new Date(Date.now() - hours * 3_600_000)
    return aQuestion(db, { course, title, writtenAt, lectureId: course.lectureIds[lecture] ?? 0 })
  }
  /** Done without a browser, by `staff` unless said. */
  const does = <Outcome>(
    operation: Operation<number, Outcome>,
    { id }: { readonly id: number },
    input: Readonly<Record<string, unknown>>,
    actor = staff,
  ) => act({ db }, operation, { actor, key: id, input })
  return {
    ...{ course, staff, colleague, asks, does, path: `/courses/${course.slug}/desk` },
    browser: await signedIn(app, staff),
    other: await signedIn(app, colleague),
  }
}
