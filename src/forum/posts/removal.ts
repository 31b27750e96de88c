import type { Write } from '../../database/schema.ts'
import { personOf } from '../../operations/actor.ts'
import { operation } from '../../operations/operation.ts'
import { questionOf } from './find.ts'
import type { answer } from './subjects.ts'

/** What hiding a post below a question, and showing it again, do to the tables. */
interface Commands {
  remove(write: Write, questionId: number, id: number, actorId: number): Promise<void>
  /** @returns the title of its question; empty while that is deleted */
  restore(write: Write, questionId: number, id: number): Promise<string>
}

/** The operations that hide an answer or a reply, and show it again. */
export function removalOf(kind: 'answer' | 'reply', find: typeof answer, { remove, restore }: Commands) {
  const deletion = operation({
    name: `delete-${kind}`,
    right: 'delete',
    find,
    events: ['post-deleted'],
    async run({ write, actor, subject, note }) {
      const { id, questionId, authorId } = subject
      await remove(write, questionId, id, personOf(actor).id)
      note('post-deleted', { kind, id, authorId })
      return { id, question: questionOf(subject) }
    },
  })
  const restoration = operation({
    name: `restore-${kind}`,
    right: 'restore',
    find,
    events: ['post-restored'],
    async run({ write, subject, note }) {
      const { id, questionId, authorId } = subject
      const title = await restore(write, questionId, id)
      note('post-restored', { kind, id, authorId })
      return { id, question: questionOf({ ...subject, title }) }
    },
  })
  return { deletion, restoration }
}
