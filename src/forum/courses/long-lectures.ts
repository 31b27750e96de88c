import type { Message } from '../../messages/catalogue.ts'
import { Task } from '../../text/thread/thread.ts'
import { LectureFileError, type LectureText, type ReadLectures, readLectureText } from './lecture-file.ts'

/** UTF-16 units of a text that is read where it stands: one of 2 MB takes seconds. */
const MAX_AT_ONCE = 10_000
const reading = new Task<typeof readOrFaults>(import.meta.url, 'readOrFaults')

/** Reads lectures of any length (readLectureText), long ones in a thread. @throws LectureFileError, NotDone */
export async function readLongLectures(sent: LectureText): Promise<ReadLectures> {
  if (sent.text.length <= MAX_AT_ONCE) return readLectureText(sent)
  const read = await reading.call(sent)
  if ('faults' in read) throw new LectureFileError(read.faults)
  return read
}

/** For the thread, from which no error of a class of ours comes through. */
export function readOrFaults(sent: LectureText): ReadLectures | { readonly faults: readonly Message[] } {
  try {
    return readLectureText(sent)
  } catch (error) {
    if (error instanceof LectureFileError) return { faults: error.faults }
    throw error
  }
}
