import { startForum } from '../bench/speed/processes.ts'
import { insist, sendForm } from './client.ts'
import { atMost, type Claim, equal, type Fault, type FaultContext, none, timed } from './fault.ts'
import { countersHold } from './kept.ts'
import { aWorld } from './world.ts'

const SUBMISSIONS = 50

export const sentFiftyTimes: Fault = {
  name: 'sent-fifty-times',
  fault: 'same form twice, 50 at once',
  done: `one question and one answer, each form sent ${SUBMISSIONS} times at once to two processes`,
  wanted: 'one post of each; every answer leads to it',
  isQuick: true,
  run: sendManyTimes,
}

async function sendManyTimes(context: FaultContext): Promise<Claim[]> {
  const { db, url, forum, course, people, question } = await aWorld(context, { people: 2 })
  const other = await startForum(context.end, url)
  const [person] = people
  if (person === undefined) throw new Error('nobody is there')
  const before = await db.selectFrom('questions').select('id').execute()
  const fields = {
    course: course.slug,
    title: 'Sent again and again?',
    body: 'By a finger that trembles.',
    tags: '',
    lecture: '',
  }
  const send = (path: string, form: Readonly<Record<string, string>>) =>
    Promise.all(
      Array.from({ length: SUBMISSIONS }, (_, index) =>
        insist(() => sendForm(index % 2 === 0 ? forum.url : other.url, person, path, form)),
      ),
    )
  const asked = await send('/questions', fields)
  const answered = await send(`/questions/${question.id}/answers`, { body: 'One of fifty.' })
  const [questions, answers] = await Promise.all([
    db.selectFrom('questions').select('id').execute(),
    db.selectFrom('answers').select('id').execute(),
  ])
  const placesOf = (forms: typeof asked) => new Set(forms.map((sent) => sent.at(-1)?.headers.location)).size
  const all = [...asked, ...answered].flat()
  const others = all.map(({ status }) => status).filter((status) => status !== 303)
  return [
    equal('questions made', questions.length - before.length, 1),
    equal('answers made', answers.length, 1),
    none(
      'forms not answered with 303, or 503 to be sent again',
      others.filter((status) => status !== 503).map(String),
      2 * SUBMISSIONS,
    ),
    equal('places they lead to', placesOf(asked) + placesOf(answered), 2),
    ...timed(context, none('forms not taken at once', others.map(String))),
    ...timed(context, atMost('slowest of them', Math.max(...all.map((one) => one.milliseconds)), 5000, 'ms')),
    await countersHold(db),
  ]
}
