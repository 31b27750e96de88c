import { Task } from '../../text/thread/thread.ts'
import { type MemberList, type ReadList, readMemberLines } from './member-lines.ts'

/** UTF-16 units of a list that is read where it stands: one of 2 MB takes seconds. */
const MAX_AT_ONCE = 10_000
const reading = new Task<typeof readMemberLines>(
  new URL('./member-lines.ts', import.meta.url),
  'readMemberLines',
)

/** Reads a list of any length (readMemberLines), a long one in a thread. @throws NotDone */
export async function readMemberList(sent: MemberList): Promise<ReadList> {
  return sent.list.length > MAX_AT_ONCE ? reading.call(sent) : readMemberLines(sent)
}
