import { type RawBuilder, sql } from 'kysely'

/** A table with counters: how to recount all rows at once. */
export interface CountedTable {
  readonly table: string
  /** Its primary key; the last column identifies a row in a report. */
  readonly key: readonly ['id'] | readonly ['course_id', 'tag_id' | 'person_id']
  /** Joined to the table, whose alias is `kept`: the counted rows, grouped by the key. */
  readonly joins: (only: OnlyChanged) => RawBuilder<unknown>
  /** Which of its rows are compared. */
  readonly compared: (only: OnlyChanged) => RawBuilder<unknown>
  /** Each counter and its expected value. */
  readonly counters: Readonly<Record<string, RawBuilder<unknown>>>
}

/** A table whose rows come as there is something to count, and may be missing. */
export interface FilledTable extends CountedTable {
  readonly key: readonly ['course_id', 'tag_id' | 'person_id']
  /** What is counted, with columns named as the table's own. */
  readonly counted: (only: OnlyChanged) => RawBuilder<unknown>
}

const COUNTED_COURSE_TAGS = (only: OnlyChanged) => sql`
  select question.course_id, question_tags.tag_id, count(*)::integer as questions_count
  from question_tags join questions as question on question.id = question_tags.question_id
  where question.is_listed
    and ${only('courses', 'question.course_id')} and ${only('tags', 'question_tags.tag_id')}
  group by question.course_id, question_tags.tag_id`

const COUNTED_COURSE_AUTHORS = (only: OnlyChanged) => sql`
  select course_id, author_id as person_id, sum(asked)::integer as questions_count, sum(answered)::integer as answers_count
  from (
    select course_id, author_id, 1 as asked, 0 as answered from questions
    where is_shown and ${only('courses', 'course_id')} and ${only('people', 'author_id')}
    union all
    select question.course_id, answer.author_id, 0, 1
    from answers as answer join questions as question on question.id = answer.question_id
    where answer.is_shown
      and ${only('courses', 'question.course_id')} and ${only('people', 'answer.author_id')}
  ) as post group by course_id, author_id`

const PEOPLE: CountedTable = {
  table: 'people',
  key: ['id'],
  joins: (only) => sql`
    left join (select author_id, count(*)::integer as number from questions
      where is_listed and not is_anonymous and ${only('people', 'author_id')} group by author_id)
      as asked on asked.author_id = kept.id
    left join (select author_id, count(*)::integer as number from answers
      where is_shown and not is_anonymous and ${only('people', 'author_id')} group by author_id)
      as answered on answered.author_id = kept.id`,
  compared: (only) => only('people', 'kept.id'),
  counters: {
    questions_count: sql`coalesce(asked.number, 0)`,
    answers_count: sql`coalesce(answered.number, 0)`,
  },
}

/** An answer counts while it is shown itself, whatever the state of its question. */
const QUESTIONS: CountedTable = {
  table: 'questions',
  key: ['id'],
  joins: (only) => sql`
    left join (select question_id, count(*)::integer as number from answers
      where is_shown and ${only('questions', 'question_id')} group by question_id)
      as answered on answered.question_id = kept.id
    left join (select question_id, count(*)::integer as number from question_votes
      where ${only('questions', 'question_id')} group by question_id)
      as voted on voted.question_id = kept.id`,
  compared: (only) => only('questions', 'kept.id'),
  counters: {
    answers_count: sql`coalesce(answered.number, 0)`,
    votes_count: sql`kept.imported_votes_count + coalesce(voted.number, 0)`,
  },
}

const ANSWERS: CountedTable = {
  table: 'answers',
  key: ['id'],
  joins: (only) => sql`
    left join (select answer_id, count(*)::integer as number from answer_votes
      where ${only('answers', 'answer_id')} group by answer_id)
      as voted on voted.answer_id = kept.id`,
  compared: (only) => only('answers', 'kept.id'),
  counters: { votes_count: sql`kept.imported_votes_count + coalesce(voted.number, 0)` },
}

/** Counted from the answers themselves, so that a wrong answers_count does not make a course's counters wrong too. */
const COURSES: CountedTable = {
  table: 'courses',
  key: ['id'],
  joins: (only) => sql`
    left join (
      select course_id, count(*)::integer as number,
        (count(*) filter (where status = 'resolved'))::integer as resolved,
        (count(*) filter (where answered.question_id is null))::integer as unanswered
      from questions as question
      left join (select distinct question_id from answers where is_shown) as answered
        on answered.question_id = question.id
      where question.is_listed and ${only('courses', 'course_id')} group by course_id
    ) as asked on asked.course_id = kept.id`,
  compared: (only) => only('courses', 'kept.id'),
  counters: {
    questions_count: sql`coalesce(asked.number, 0)`,
    resolved_count: sql`coalesce(asked.resolved, 0)`,
    unanswered_count: sql`coalesce(asked.unanswered, 0)`,
  },
}

const LECTURES: CountedTable = {
  table: 'lectures',
  key: ['id'],
  joins: (only) => sql`
    left join (
      select lecture_id, count(*)::integer as number,
        (count(*) filter (where status = 'unresolved'))::integer as unresolved
      from questions where is_listed and ${only('lectures', 'lecture_id')} group by lecture_id
    ) as asked on asked.lecture_id = kept.id`,
  compared: (only) => only('lectures', 'kept.id'),
  counters: {
    questions_count: sql`coalesce(asked.number, 0)`,
    unresolved_count: sql`coalesce(asked.unresolved, 0)`,
  },
}

const CASES: CountedTable = {
  table: 'cases',
  key: ['id'],
  joins: () => sql`
    left join (select case_id, count(*)::integer as number from reports group by case_id)
      as reported on reported.case_id = kept.id`,
  compared: (only) => only('questions', 'kept.question_id'),
  counters: { reports_count: sql`coalesce(reported.number, 0)` },
}

export const FILLED_TABLES: readonly FilledTable[] = [
  filledTable('course_tags', 'tags', ['course_id', 'tag_id'], COUNTED_COURSE_TAGS, ['questions_count']),
  filledTable('course_authors', 'people', ['course_id', 'person_id'], COUNTED_COURSE_AUTHORS, [
    'questions_count',
    'answers_count',
  ]),
]

/** Every counter of the schema (db/migrations), table by table. */
export const COUNTED_TABLES: readonly CountedTable[] = [
  PEOPLE,
  QUESTIONS,
  ANSWERS,
  COURSES,
  LECTURES,
  CASES,
  ...FILLED_TABLES,
]

/** What is not counted for a row counts 0. */
function filledTable(
  table: string,
  counts: 'tags' | 'people',
  key: FilledTable['key'],
  counted: FilledTable['counted'],
  columns: readonly string[],
): FilledTable {
  const joins = (only: OnlyChanged) =>
    sql`left join (${counted(only)}) as found using (${sql.join(key.map((column) => sql.ref(column)))})`
  const counters = columns.map((column) => [column, sql`coalesce(${sql.ref(`found.${column}`)}, 0)`] as const)
  const compared = (only: OnlyChanged) =>
    sql`${only('courses', 'kept.course_id')} and ${only(counts, `kept.${key[1]}`)}`
  return { table, key, counted, joins, compared, counters: Object.fromEntries(counters) }
}

/** Rows that what was added or changed can have made a counter of wrong: for each table a query of their ids. */
export interface ChangedRows {
  readonly questions: RawBuilder<unknown>
  readonly answers: RawBuilder<unknown>
  readonly people: RawBuilder<unknown>
  readonly courses: RawBuilder<unknown>
  readonly lectures: RawBuilder<unknown>
  readonly tags: RawBuilder<unknown>
}

/** A condition that a column refers to a touched row of a table. */
export type OnlyChanged = (table: keyof ChangedRows, column: string) => RawBuilder<unknown>

/** @param touched null: everything is */
export function onlyChanged(touched: ChangedRows | null): OnlyChanged {
  return (table, column) => (touched === null ? sql`true` : sql`${sql.ref(column)} in (${touched[table]})`)
}

/** A counter that differs from what it counts, or a moment that is kept and differs from what it follows from. */
export interface Difference {
  /** Table and column, e.g. `questions.answers_count`. */
  readonly counter: string
  /** Id of the row; for course_tags of the tag, for course_authors of the person. */
  readonly id: number
  /** The course of a tag's or a person's counts; null for other tables. */
  readonly courseId: number | null
  /** Moments in milliseconds since 1970; 0: none. */
  readonly stored: number
  readonly counted: number
}

/** Maximum differences reported per table: after a bulk load every row may differ. All of them are fixed. */
export const MAX_REPORTED = 1000
