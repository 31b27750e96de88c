import type { Database } from '../database/schema.ts'
import { setFollowing } from '../forum/follows/commands.ts'
import { castVote } from '../forum/votes/commands.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadeAnswer,
  type MadeCourse,
  type MadePerson,
  type MadeQuestion,
} from '../testing/builders.ts'
import { type Addressed, SUBJECT, WORDS } from './secrets-testing.ts'

/** Where canaries are planted: a public course, a question in it that becomes private, and one whose posts lose their names. */
export interface Field {
  readonly db: Database
  readonly course: MadeCourse
  /** Asks what becomes private. */
  readonly asker: MadePerson
  readonly staff: MadePerson
  /** Writes a question, an answer and a reply that lose the name. */
  readonly hidden: MadePerson
  readonly classmate: MadePerson
  readonly question: MadeQuestion
  readonly answer: MadeAnswer
  readonly open: MadeQuestion
}

/** Words that no other text has, by who may know them: the asker and staff; staff alone. */
export interface Canaries {
  readonly private?: readonly string[]
  readonly name?: readonly string[]
}

export const NAME = 'Zyxquarkhidden'
export const TAG = 'zyxquarkkepttag'

/**
 * Whoever adds something that belongs to a question, or names an author, plants a word here: in the row that only those who
 * read the question may see, or beside a post of `hidden`. canaries.test.ts then looks for it everywhere, as everybody.
 */
export const PLANTERS: Readonly<Record<string, (field: Field) => Promise<Canaries>>> = {
  'the private question': async () => ({
    private: ['zyxquarkkepttitle', 'zyxquarkkeptbody', TAG, 'zyxquarkkeptanswer'],
  }),
  'the name on anonymous posts': async () => ({ name: [NAME, NAME.toLowerCase()] }),
  'a reply under the private answer': async ({ db, answer, staff }) => {
    await aReply(db, { answer, author: staff, body: 'More of it: zyxquarkkeptreply' })
    return { private: ['zyxquarkkeptreply'] }
  },
  'votes and followers': async ({ db, question, answer, classmate, hidden, open }) => {
    for (const { id } of [classmate, hidden]) {
      await castVote(db, { kind: 'question', id: question.id }, id, true)
      await castVote(db, { kind: 'answer', id: answer.id }, id, true)
      await setFollowing(db, question.id, id, 'follow')
    }
    await setFollowing(db, open.id, classmate.id, 'follow')
    return {}
  },
}

export async function aField(db: Database): Promise<Field> {
  const course = await aCourse(db, { slug: WORDS.slug, lectures: ['One'] })
  const lectureId = course.lectureIds[0] ?? 0
  const [asker, classmate] = [await aMember(db, course), await aMember(db, course)]
  const staff = await aMember(db, course, 'assistant')
  const hidden = await aPerson(db, { displayName: NAME })
  const question = await aQuestion(db, {
    ...{ course, lectureId, author: asker },
    title: `The ${SUBJECT}, zyxquarkkepttitle`,
    body: `I look for the ${SUBJECT}: zyxquarkkeptbody`,
    tags: [TAG, 'http'],
  })
  const answer = await anAnswer(db, { question, author: staff, body: 'It is 201. zyxquarkkeptanswer' })
  const open = await aQuestion(db, {
    course,
    lectureId,
    author: hidden,
    title: `A ${SUBJECT}`,
    tags: ['http'],
  })
  const named = await anAnswer(db, { question: open, author: hidden, body: 'Perhaps 200.' })
  await aReply(db, { answer: named, author: hidden, body: 'Or 204.' })
  await anAnswer(db, { question: open, author: classmate, body: 'No, 201.' })
  return { db, course, asker, staff, hidden, classmate, question, answer, open }
}

export async function addressesIn({ db, course, ...field }: Field): Promise<Addressed> {
  const ids = async (table: 'answers' | 'replies') =>
    (await db.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id)
  return {
    course: [course.slug],
    tag: [TAG, 'http'],
    questions: [field.question.id, field.open.id],
    answers: await ids('answers'),
    replies: await ids('replies'),
    people: [field.asker.id, field.staff.id, field.hidden.id, field.classmate.id],
  }
}

/** The question becomes private, and what `hidden` wrote loses the name; nothing else tells that they were ever here. */
export async function hide({ db, hidden }: Field): Promise<void> {
  for (const table of ['questions', 'answers', 'replies'] as const)
    await db.updateTable(table).set({ is_anonymous: true }).where('author_id', '=', hidden.id).execute()
  await db.deleteFrom('course_members').where('person_id', '=', hidden.id).execute()
}
