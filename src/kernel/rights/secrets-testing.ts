import type { Database } from '../../database/schema.ts'
import { setFollowing } from '../../forum/follows/following.ts'
import { changePolicy } from '../../forum/policies/policy.ts'
import { castVote } from '../../forum/posts/vote.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadeCourse,
  type MadeQuestion,
} from '../../testing/builders.ts'
import { within } from '../../testing/within.ts'

/** A word for each field of a course that somebody could read something in; no other text has any of them. */
export const WORDS = {
  slug: 'zyxquarkslug',
  title: 'zyxquarktitle',
  field: 'zyxquarkfield',
  description: 'zyxquarkdescription',
  lecture: 'zyxquarklecture',
  category: 'zyxquarkcategory',
  question: 'zyxquarkquestion',
  body: 'zyxquarkbody',
  tag: 'zyxquarktag',
  answer: 'zyxquarkanswer',
  reply: 'zyxquarkreply',
  asker: 'zyxquarkasker',
  instructor: 'zyxquarkinstructor',
  version: 'zyxquarkversion',
  picture: 'zyxquarkpicture',
  rules: 'zyxquarkrules',
} as const

/** Nobody but its author and staff finds these even while the course is public. */
export const NEVER_TOLD: readonly string[] = [WORDS.version, WORDS.picture]

/** Asked in both courses, so that a search for one is near the other. */
export const SUBJECT = 'status code of a created resource'

/** Numbers and names of what stands in an address. */
export interface Addressed {
  readonly course: readonly string[]
  readonly tag: readonly string[]
  readonly questions: readonly number[]
  readonly answers: readonly number[]
  readonly replies: readonly number[]
  readonly people: readonly number[]
}

/** A course full of words that nobody else may read, one for everybody, and people of either, both and neither. */
export async function twoCourses(db: Database) {
  const { slug, title, field, description } = WORDS
  const texts = { slug, title, field, description }
  const secret = await aCourse(db, { ...texts, lectures: [WORDS.lecture], categories: [WORDS.category] })
  const open = await aCourse(db, { lectures: ['For everybody'] })
  await within(db, changePolicy, { courseId: secret.id, name: 'rules', language: 'en' }, WORDS.rules, 0)
  const instructor = await aPerson(db, { displayName: WORDS.instructor })
  await aMember(db, secret, 'instructor', instructor)
  const both = await aMember(db, open, 'learner', await aMember(db, secret))
  const former = await aMember(db, secret)
  const outsider = await aMember(db, open)
  const inside = await aThread(db, secret, both, instructor)
  const outside = await anOpenThread(db, open, both)
  await anAnswer(db, { question: inside.question, author: former, body: 'Words of my own.' })
  await castVote(db, { kind: 'question', id: inside.question.id }, former.id, true)
  await castVote(db, { kind: 'answer', id: inside.answer.id }, former.id, true)
  await within(db, setFollowing, inside.question.id, former.id, 'follow')
  const threads = [inside, outside]
  const addressed: Addressed = {
    course: [slug, open.slug],
    tag: [WORDS.tag, 'http'],
    questions: threads.map(({ question }) => question.id),
    answers: threads.map(({ answer }) => answer.id),
    replies: threads.map(({ reply }) => reply.id),
    people: [inside.question.authorId, instructor.id, both.id, former.id, outsider.id],
  }
  return { secret, outsider, former, addressed }
}

type Somebody = { readonly id: number }

async function aThread(db: Database, course: MadeCourse, helper: Somebody, instructor: Somebody) {
  const category = await db
    .selectFrom('categories')
    .select('id')
    .where('name', '=', WORDS.category)
    .executeTakeFirstOrThrow()
  const question = await aQuestion(db, {
    course,
    author: await aPerson(db, { displayName: WORDS.asker }),
    title: `The ${SUBJECT}, ${WORDS.question}`,
    body: `I look for the ${SUBJECT}: ${WORDS.body}`,
    tags: [WORDS.tag, 'http'],
    lectureId: course.lectureIds[0] ?? 0,
    categoryId: category.id,
  })
  const answer = await anAnswer(db, { question, author: helper, body: `It is 201. ${WORDS.answer}` })
  const reply = await aReply(db, { answer, author: instructor, body: `Right. ${WORDS.reply}` })
  await keepSecrets(db, question)
  return { question, answer, reply }
}

/** What the question said before, and a picture that no post shows yet. */
async function keepSecrets(db: Database, { id, authorId }: MadeQuestion): Promise<void> {
  const earlier = { title: WORDS.version, body: WORDS.version, tags: [WORDS.version], reason: WORDS.version }
  await db
    .insertInto('post_versions')
    .values({ question_id: id, version: 1, ...earlier, written_by: authorId, written_at: new Date() })
    .execute()
  await db.updateTable('questions').set({ version: 2 }).where('id', '=', id).execute()
  const file = { sha256: Buffer.alloc(32), fallback: 'png', bytes: 1 } as const
  const name = `${WORDS.picture.padEnd(22, 'x')}-1x1`
  await db
    .insertInto('images')
    .values({ name, uploader_id: authorId, alt: WORDS.picture, ...file })
    .execute()
}

async function anOpenThread(db: Database, course: MadeCourse, asker: Somebody) {
  const question = await aQuestion(db, { course, author: asker, title: `The ${SUBJECT}`, tags: ['http'] })
  const answer = await anAnswer(db, { question, author: asker })
  return { question, answer, reply: await aReply(db, { answer, author: asker }) }
}
