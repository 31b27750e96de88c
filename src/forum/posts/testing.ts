import type { Database } from '../../database/schema.ts'
import type { Operation } from '../../kernel/operation.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { editQuestion } from '../questions/edit-operations.ts'
import type { PostTable } from './kinds.ts'
import { TEXT_EDITS } from './text-edit.ts'

type Edit = Operation<number, { readonly isChanged: boolean }>

/** A question with an answer and a reply, all of one author: where each is, and how it is edited. And who else edits them. */
export async function postsOfEachKind({ db }: { readonly db: Database }) {
  const course = await aCourse(db, { lectures: ['One', 'Two'] })
  const [author, staff] = [await aPerson(db), await aMember(db, course, 'instructor')]
  const place = { course, lectureId: course.lectureIds[0] ?? 0, tags: ['old', 'stays'] }
  const text = { author, body: 'old words' }
  const question = await aQuestion(db, { ...place, ...text, title: 'The old title' })
  const answer = await anAnswer(db, { question, ...text })
  const reply = await aReply(db, { answer, ...text })
  const of = (table: PostTable, { id: key }: { readonly id: number }, edit: Edit) => {
    const path = `/${table}/${key}`
    return { table, key, edit, path, form: `${path}/edit` }
  }
  const posts = [
    of('questions', question, editQuestion),
    of('answers', answer, TEXT_EDITS.answers),
    of('replies', reply, TEXT_EDITS.replies),
  ]
  return { course, author, staff, question, posts }
}
