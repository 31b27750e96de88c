import { serve } from '../../text/thread/serve.ts'
import { LectureFileError, readLectureText } from './lecture-file.ts'
import type { LecturesOrReason } from './long-lectures.ts'

serve((text: string): LecturesOrReason => {
  try {
    return readLectureText(text)
  } catch (error) {
    if (error instanceof LectureFileError) return { faults: error.faults }
    throw error
  }
})
