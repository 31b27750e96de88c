import type { Write } from '../../database/schema.ts'
import { personOf } from '../../operations/actor.ts'
import { line } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { REASON } from '../posts/form.ts'
import type { PostKey } from '../posts/kinds.ts'
import { answer, type LockedPost, question, reply } from '../posts/subjects.ts'
import { findKeptText } from '../posts/versions.ts'
import { redactVersion, restoreVersion } from './commands.ts'

/** A version of a post. */
interface VersionKey {
  readonly id: number
  readonly version: number
}

interface LockedVersion extends LockedPost {
  readonly version: number
}

const KINDS = {
  questions: { find: question, kind: 'question' },
  answers: { find: answer, kind: 'answer' },
  replies: { find: reply, kind: 'reply' },
} as const

/** Operations of staff on earlier versions, for each kind of post. */
export const HISTORIES = {
  questions: historyOf('questions'),
  answers: historyOf('answers'),
  replies: historyOf('replies'),
} as const

function historyOf(table: PostKey['table']) {
  const { find, kind } = KINDS[table]
  const findVersion = async (write: Write, { id, version }: VersionKey): Promise<LockedVersion> => ({
    ...(await find(write, id)),
    version,
  })
  return {
    /** Makes an earlier version the text of a post again, as an edit that can be undone like any other. */
    restoration: operation({
      name: `restore-version-of-${kind}`,
      right: 'decide-history',
      find: findVersion,
      input: { reason: line({ min: 1, max: REASON.max }) },
      stored: async (db, { id, version }) => [(await findKeptText(db, { table, id }, version))?.body ?? ''],
      events: ['post-edited'],
      async run({ write, actor, subject, input: { reason }, note }) {
        const { id, authorId, version } = subject
        const person = personOf(actor)
        const by = { actorId: person.id, reason }
        const outcome = await restoreVersion(write, { ...subject, table }, version, by)
        if (outcome === 'done' && person.id !== authorId) note('post-edited', { kind, id, authorId })
        return outcome
      },
    }),
    /** Removes the text of an earlier version for good; who wrote when stays. @returns whether there was one */
    redaction: operation({
      name: `redact-version-of-${kind}`,
      right: 'decide-history',
      find: findVersion,
      events: ['version-redacted'],
      async run({ write, actor, subject, note }) {
        const { id, authorId, version } = subject
        const isDone = await redactVersion(write, { ...subject, table }, version, personOf(actor).id)
        if (isDone) note('version-redacted', { kind, id, authorId })
        return { isDone }
      },
    }),
  }
}
