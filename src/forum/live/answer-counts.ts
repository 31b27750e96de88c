import type { Database } from '../../database/schema.ts'
import { liveStateOf } from '../../text/question-state.ts'
import type { Readers } from './readers.ts'

/** Tells readers of a question how many answers it has and what state it is in, after a change of it. */
export class AnswerCounts {
  private readonly db: Database
  private readonly readers: Readers
  private readonly onFailure: (error: unknown) => void
  /** Questions being read; true: changed again meanwhile. */
  private readonly reading = new Map<number, boolean>()

  constructor(db: Database, readers: Readers, onFailure: (error: unknown) => void) {
    this.db = db
    this.readers = readers
    this.onFailure = onFailure
  }

  /** One query at a time for each question that somebody reads. */
  questionChanged(questionId: number): void {
    if (this.readers.of(questionId).size === 0) return
    const isReading = this.reading.has(questionId)
    this.reading.set(questionId, isReading)
    if (!isReading) void this.readAndTell(questionId)
  }

  private async readAndTell(questionId: number): Promise<void> {
    try {
      await this.tell(questionId)
    } catch (error) {
      this.onFailure(error)
      // They open the page's stream again, and are told how many there are by then.
      this.readers.end((reader) => reader.questionId === questionId)
    }
    const isChanged = this.reading.get(questionId) === true
    this.reading.delete(questionId)
    if (isChanged) this.questionChanged(questionId)
  }

  private async tell(questionId: number): Promise<void> {
    const question = await this.db
      .selectFrom('questions')
      .select(['answers_count', 'status', 'accepted_answer_id', 'course_id', 'audience', 'is_shown'])
      .where('id', '=', questionId)
      .executeTakeFirst()
    const isThere = question?.is_shown === true
    // Deleted, hidden, made private, or moved to another course, which they may not be allowed to read.
    this.readers.end(
      (reader) =>
        reader.questionId === questionId &&
        (!isThere || reader.courseId !== question.course_id || reader.audience !== question.audience),
    )
    if (!isThere) return
    for (const reader of this.readers.of(questionId)) {
      this.readers.tell(reader, question.answers_count)
      this.readers.tellState(reader, liveStateOf(question))
    }
  }
}
