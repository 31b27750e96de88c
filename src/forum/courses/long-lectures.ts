import type { Message } from '../../messages/catalogue.ts'
import { Task } from '../../text/thread/thread.ts'
import { LectureFileError, type ReadLectures, readLectureText } from './lecture-file.ts'

/** UTF-16 units of a text that is read where it stands: one of 2 MB takes a third of a second. */
const MAX_AT_ONCE = 10_000
const reading = new Task<typeof readOrFaults>(import.meta.url, 'readOrFaults')

/** Reads lectures of any length (readLectureText), long ones in a thread. @throws LectureFileError, NotDone */
export async function readLongLectures(text: string): Promise<ReadLectures> {
  if (text.length <= MAX_AT_ONCE) return readLectureText(text)
  const read = await reading.call(text)
  if ('faults' in read) throw new LectureFileError(read.faults)
  return read
}

/** For the thread, from which no error of a class of ours comes through. */
export function readOrFaults(text: string): ReadLectures | { readonly faults: readonly Message[] } {
  try {
    return readLectureText(text)
  } catch (error) {
    if (error instanceof LectureFileError) return { faults: error.faults }
    throw error
  }
}
