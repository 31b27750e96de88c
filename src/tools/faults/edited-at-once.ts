import { textOf, valueIn } from '../../testing/page.ts'
import { aMember } from '../../testing/people.ts'
import { anAnswer, aQuestion, aReply } from '../../testing/posts.ts'
import type { SignedIn } from '../bench/speed/people.ts'
import { startForum } from '../bench/speed/processes.ts'
import { type Answer, getPage, sendForm } from './client.ts'
import { type Claim, equal, type Fault, type FaultContext, none } from './fault.ts'
import { aWorld } from './world.ts'

const ROUNDS = 5

export const editedAtOnce: Fault = {
  name: 'edited-at-once',
  fault: 'two people edit at once',
  done: `author and instructor open the same question, answer and reply and save at the same moment in two processes, ${ROUNDS} times each`,
  wanted: 'one is saved, the other one gets 409 with both texts',
  isQuick: true,
  run: editAtOnce,
}

async function editAtOnce(context: FaultContext): Promise<Claim[]> {
  const { db, url, forum, course, people } = await aWorld(context, { people: 2 })
  const other = await startForum(context.end, url)
  const [author, instructor] = people
  if (author === undefined || instructor === undefined) throw new Error('nobody is there')
  await aMember(db, course, 'instructor', { id: instructor.id, displayName: '', email: '' })
  const strange: string[] = []
  let conflicts = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const question = await aQuestion(db, { course, author })
    const answer = await anAnswer(db, { question, author })
    const reply = await aReply(db, { answer, author })
    for (const path of [`/questions/${question.id}`, `/answers/${answer.id}`, `/replies/${reply.id}`]) {
      const [one, two] = await Promise.all([
        save(forum.url, author, `${path}/edit`, `author’s words ${round}`),
        save(other.url, instructor, `${path}/edit`, `instructor’s words ${round}`),
      ])
      const problem = problemOf(one, two)
      if (problem === null) conflicts += 1
      else strange.push(`${path}: ${problem}`)
    }
  }
  return [
    equal('conflicts told with both texts', conflicts, 3 * ROUNDS),
    none('pairs that ended otherwise', strange, 3 * ROUNDS),
  ]
}

interface Saved extends Answer {
  readonly text: string
}

/** Both opened the form before one of them saves: both have the first version. */
async function save(url: string, person: SignedIn, path: string, text: string): Promise<Saved> {
  const form = (await getPage(url, path, person)).body
  const names = ['title', 'tags', 'category', 'lecture'].filter((name) => valueIn(form, name) !== null)
  const fields = Object.fromEntries(names.map((name) => [name, valueIn(form, name) ?? '']))
  const answer = await sendForm(url, person, path, { ...fields, body: text, version: '1' })
  return { ...answer, text }
}

/** null: one edit was saved, and the other person got a conflict page with both texts. */
function problemOf(one: Saved, two: Saved): string | null {
  const [saved, told] = one.status === 303 ? [one, two] : [two, one]
  if (saved.status !== 303 || told.status !== 409) return `answered ${one.status} and ${two.status}`
  if (valueIn(told.body, 'body') !== told.text) return 'the own text is gone'
  return textOf(told.body).includes(saved.text) ? null : 'the other text is not shown'
}
