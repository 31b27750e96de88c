import { courseCopy } from '../../forum/course-settings/copy.ts'
import { uploaded } from '../../forum/pictures/pictures-testing.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { act } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import type { TestForum } from '../../testing/forum.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { copyingKind } from './course-copies.ts'

/** What must not come along says it. */
export const CANARY = 'Zyxcanary'

let runs = 0

/** What tests do with runs of courses in a forum. */
export function runsIn(forum: TestForum) {
  /** A course with questions of each kind, and what its instructor copies of it. */
  async function aRun() {
    const { db, app } = forum
    runs += 1
    const course = await aCourse(db, {
      title: `Run ${runs}`,
      lectures: ['Same', 'Same'],
      categories: ['Lab'],
    })
    const member = async (displayName: string, role: 'learner' | 'instructor' = 'learner') =>
      aMember(db, course, role, await aPerson(db, { displayName }))
    const [kim, mina, jun, shy] = [
      await member('Kim', 'instructor'),
      await member(`Mina${CANARY}`),
      await member(`Jun${CANARY}`),
      await member(`Shy${CANARY}`),
    ]
    const browser = await signedIn(app, kim)
    const picture = await uploaded(await signedIn(app, mina))
    const other = await aQuestion(db, { course, author: mina, title: 'Without an answer' })
    const asked = await aQuestion(db, {
      ...{ course, author: mina, title: 'Which code?', tags: ['http'], votes: 2, views: 7 },
      lectureId: course.lectureIds[1] ?? 0,
    })
    const answer = await anAnswer(db, {
      question: asked,
      author: kim,
      isAccepted: true,
      votes: 1,
      body: 'It is **201**.',
    })
    await aReply(db, { answer, author: mina, body: 'Thanks.' })
    const anonymous = await aQuestion(db, {
      course,
      author: shy,
      title: 'Asked in hiding',
      isAnonymous: true,
    })
    const endorsed = await anAnswer(db, {
      question: anonymous,
      author: jun,
      body: `See #${asked.id} and #${other.id}.`,
    })
    await setRows(db, 'answers', endorsed.id, { endorsed_at: new Date(), endorsed_by: kim.id })
    return { course, kim, mina, jun, shy, browser, picture, other, asked, answer, anonymous, endorsed }
  }

  /** Copies it, and does the job. */
  async function copied(
    { course, kim }: Awaited<ReturnType<typeof aRun>>,
    input: Record<string, unknown> = {},
  ) {
    const { db } = forum
    const title = `${course.slug} again`
    const { slug } = await act(forum, courseCopy, {
      ...{ actor: kim, key: course.slug },
      input: { title, questions: 'accepted', ...input },
    })
    await doJobs(db, kind())
    return rowOf(db, 'courses', { slug })
  }

  const kind = () => {
    const { app, db } = forum
    return copyingKind(db, { store: app.pictures, baseUrl: app.config.baseUrl })
  }
  const questionsOf = (courseId: number) => rowsOf(forum.db, 'questions', { course_id: courseId })
  const pageOf = async (browser: Awaited<ReturnType<typeof signedIn>>, id: number) => {
    const answer = await browser.get(`/questions/${id}`)
    return (answer.statusCode === 301 ? await browser.follow(answer) : answer).body
  }
  return { aRun, copied, kind, questionsOf, pageOf }
}
