/** A column that names a person, in a table whose key names none. */
export interface PersonColumn {
  readonly table: string
  readonly key: readonly string[]
  readonly columns: readonly string[]
  /** Where anonymous posts are: the column of their question. */
  readonly question?: string
}

const ID = ['id'] as const
const POST = { key: ID, columns: ['author_id', 'deleted_by', 'edited_by'] } as const

/** Columns that name the author of a post, a decision or a note: all of it becomes the other account's. */
export const PERSON_COLUMNS: readonly PersonColumn[] = [
  { table: 'questions', ...POST, columns: [...POST.columns, 'duplicate_by'], question: 'id' },
  { table: 'answers', ...POST, columns: [...POST.columns, 'endorsed_by'], question: 'question_id' },
  { table: 'replies', ...POST, question: 'question_id' },
  {
    table: 'post_versions',
    key: ['question_id', 'answer_id', 'reply_id', 'version'],
    columns: ['written_by', 'redacted_by'],
  },
  { table: 'announcements', key: ID, columns: ['author_id'] },
  { table: 'images', key: ID, columns: ['uploader_id'] },
  { table: 'pins', key: ['question_id'], columns: ['pinned_by'] },
  { table: 'question_desk', key: ['question_id'], columns: ['assignee_id', 'assigned_by', 'done_by'] },
  { table: 'desk_claims', key: ['question_id'], columns: ['person_id'] },
  { table: 'imported_people', key: ['course_id', 'source_id'], columns: ['person_id'] },
  { table: 'cases', key: ID, columns: ['person_id', 'opened_by', 'claimed_by', 'decided_by'] },
  { table: 'case_handovers', key: ID, columns: ['handed_by'] },
  { table: 'case_snapshots', key: ['case_id', 'text_version'], columns: ['redacted_by'] },
  { table: 'measures', key: ID, columns: ['person_id', 'made_by', 'ended_by'] },
  { table: 'objections', key: ['measure_id'], columns: ['answered_by'] },
  { table: 'reports', key: ID, columns: ['person_id'] },
]

/** A table whose rows belong to people, with at most one for each person and thing. */
export interface OwnRows {
  readonly table: string
  /** The columns that identify a row. */
  readonly key: readonly string[]
  /** The columns that name a person; the first one's rows are unique together with `things`. */
  readonly people: readonly string[]
  /** Each list: what both accounts may have one row about. */
  readonly things: readonly (readonly string[])[]
  /** The tables that the rows refer to, by column: a row of them may be gone when they are restored. */
  readonly parents: Readonly<Record<string, string>>
  /** SQL that decides between two rows about one thing: when the closed account's (`mine`) replaces the other (`theirs`). Left out: never. */
  readonly wins?: string
  /** Both of two rows about one thing stay as they are. */
  readonly keepsBoth?: true
  /** The rows don't move: they end, and return when the merge is undone. */
  readonly ends?: true
  /** A row that was changed after the merge isn't taken away again. */
  readonly keepsChanges?: true
  /** Roles are given back by undo-roles.ts, which looks at what was decided about them since. */
  readonly isRole?: true
}

const questions = { question_id: 'questions' } as const
const ofPerson = ['person_id'] as const

/** In the order in which rows are inserted; they are deleted in the reverse one. */
export const OWN_ROWS: readonly OwnRows[] = [
  {
    table: 'course_members',
    key: ['course_id', 'person_id'],
    people: ofPerson,
    things: [['course_id']],
    parents: { course_id: 'courses' },
    wins: `array_position(array['learner', 'assistant', 'instructor'], mine.role)
      > array_position(array['learner', 'assistant', 'instructor'], theirs.role)`,
    isRole: true,
  },
  {
    table: 'claimed_roles',
    key: ['course_id', 'person_id'],
    people: ofPerson,
    things: [],
    parents: { course_id: 'courses', provider_id: 'identity_providers' },
    ends: true,
  },
  follows('course_follows', 'course_id', 'courses'),
  follows('lecture_follows', 'lecture_id', 'lectures'),
  follows('tag_follows', 'tag_id', 'tags'),
  follows('question_follows', 'question_id', 'questions'),
  // Refers to question_follows: moved by hand, in merge.ts.
  {
    ...follows('asked_instead', 'question_id', 'questions'),
    ends: true,
  },
  follows('question_votes', 'question_id', 'questions'),
  follows('answer_votes', 'answer_id', 'answers'),
  { ...follows('question_reads', 'question_id', 'questions'), wins: 'mine.read_at > theirs.read_at' },
  { ...follows('course_reads', 'course_id', 'courses'), wins: 'mine.read_up_to > theirs.read_up_to' },
  {
    table: 'stand_ins',
    key: ['question_id', 'person_id'],
    people: ofPerson,
    things: [['question_id']],
    parents: questions,
    keepsBoth: true,
  },
  {
    table: 'mentions',
    key: ['question_id', 'answer_id', 'reply_id', 'person_id'],
    people: ['person_id', 'mentioned_by'],
    things: [['question_id', 'answer_id', 'reply_id']],
    parents: { ...questions, answer_id: 'answers', reply_id: 'replies' },
  },
  {
    table: 'notifications',
    key: ['id'],
    people: ofPerson,
    things: [['question_id'], ['announcement_id'], ['case_id']],
    parents: {
      ...questions,
      announcement_id: 'announcements',
      case_id: 'cases',
      first_answer_id: 'answers',
      first_reply_id: 'replies',
    },
    wins: 'mine.seen_at is null and theirs.seen_at is not null',
  },
  {
    table: 'drafts',
    key: ['id'],
    people: ofPerson,
    things: [['place']],
    parents: {},
    // What was posted, without fields, wins over no draft.
    wins: "(mine.fields <> '{}', mine.saved_at) > (theirs.fields <> '{}', theirs.saved_at)",
    keepsChanges: true,
  },
  { table: 'staff_weeks', key: ofPerson, people: ofPerson, things: [[]], parents: {} },
  {
    table: 'linked_accounts',
    key: ['id'],
    people: ofPerson,
    things: [],
    parents: { provider_id: 'identity_providers' },
    ends: true,
  },
  { table: 'passkeys', key: ['id'], people: ofPerson, things: [], parents: {}, ends: true },
]

function follows(table: string, thing: string, parent: string): OwnRows {
  return {
    table,
    key: [thing, 'person_id'],
    people: ofPerson,
    things: [[thing]],
    parents: { [thing]: parent },
  }
}
