import type { Disguise } from './disguise.ts'
import type { AnswerRow, PostRow, QuestionRow, ReplyRow, VersionRow } from './exported-rows.ts'
import type { Author, Written } from './format.ts'

/** What posts, people and what texts refer to are called in an export. */
export interface PostNaming {
  readonly disguise: Disguise
  /** A text as the export has it. */
  text(markdown: string): string
}

export function questionLine(row: QuestionRow, naming: PostNaming): Written<'questions'> {
  const { idOf } = naming.disguise
  const named = (kind: 'answer' | 'question' | 'person' | 'lecture', id: number | null) =>
    id === null ? null : idOf(kind, id)
  return {
    ...postLine('question', row, naming),
    title: row.title,
    tags: row.tags,
    category: idOf('category', row.category_id),
    lecture: named('lecture', row.lecture_id),
    visibility: row.is_private ? 'private' : 'course',
    was_public: row.was_open,
    active_at: row.active_at.toISOString(),
    status: row.status,
    resolved_at: timeOf(row.resolved_at),
    reopened_at: timeOf(row.reopened_at),
    accepted_answer: named('answer', row.accepted_answer_id),
    duplicate:
      row.duplicate_of === null
        ? null
        : { of: idOf('question', row.duplicate_of), by: named('person', row.duplicate_by) },
    closed:
      row.answers_closed_at === null
        ? null
        : { at: row.answers_closed_at.toISOString(), reason: row.closing_reason },
    pin:
      row.pinned_until === null
        ? null
        : { until: row.pinned_until.toISOString(), by: named('person', row.pinned_by) },
    votes: row.votes_count,
    views: row.views_count,
  }
}

export function answerLine(row: AnswerRow, naming: PostNaming): Written<'answers'> {
  const { idOf } = naming.disguise
  return {
    ...postLine('answer', row, naming),
    question: idOf('question', row.question_id),
    votes: row.votes_count,
    endorsement:
      row.endorsed_at === null
        ? null
        : {
            at: row.endorsed_at.toISOString(),
            by: row.endorsed_by === null ? null : idOf('person', row.endorsed_by),
          },
  }
}

export function replyLine(row: ReplyRow, naming: PostNaming): Written<'replies'> {
  const { idOf } = naming.disguise
  return {
    ...postLine('reply', row, naming),
    question: idOf('question', row.question_id),
    answer: row.answer_id === null ? null : idOf('answer', row.answer_id),
  }
}

/** An earlier text of a post. It was written by the post's author, or by an editor under their name. */
export function versionLine(row: VersionRow, post: PostRow, naming: PostNaming): Written<'versions'> {
  const { idOf } = naming.disguise
  const writer = { id: row.written_by, name: row.writer_name, hasLeft: row.has_writer_left }
  return {
    post: { kind: row.kind, id: idOf(row.kind, row.post_id) },
    version: row.version,
    title: row.title,
    body: row.body === null ? null : naming.text(row.body),
    tags: row.tags,
    author: writerOf(post, writer, naming),
    written_at: row.written_at.toISOString(),
    reason: row.reason,
    redacted:
      row.redacted_at === null
        ? null
        : {
            at: row.redacted_at.toISOString(),
            by: row.redacted_by === null ? null : idOf('person', row.redacted_by),
          },
  }
}

function postLine(kind: 'question' | 'answer' | 'reply', row: PostRow, naming: PostNaming) {
  const { isPseudonymous } = naming.disguise
  const { author_id: id, author_name: name, has_left: hasLeft, edited_by: editor } = row
  const edited = { id: editor ?? 0, name: row.editor_name ?? '', hasLeft: row.has_editor_left === true }
  return {
    id: naming.disguise.idOf(kind, row.id),
    author: writerOf(row, { id, name, hasLeft }, naming),
    body: naming.text(row.body),
    written_at: row.written_at.toISOString(),
    edited_at: timeOf(row.edited_at),
    editor: editor === null ? null : writerOf(row, edited, naming),
    edit_reason: row.edit_reason,
    version: row.version,
    ...(isPseudonymous || row.addresses === null || row.addresses.length === 0
      ? {}
      : { addresses: row.addresses }),
    state: row.is_hidden ? ('hidden' as const) : row.is_held ? ('held(source)' as const) : ('shown' as const),
  }
}

/** What accounts that are gone are called here. */
const FORMER = 'Former member'

interface Writer {
  readonly id: number
  readonly name: string
  readonly hasLeft: boolean
}

/** Who wrote a text of a post. Of an anonymous post whose author left, nothing is left to know. */
function writerOf(post: PostRow, { id, name, hasLeft }: Writer, { disguise }: PostNaming): Author {
  const isHidden = post.is_anonymous && id === post.author_id
  if (isHidden && hasLeft) return { anonymous: 'everyone', number: post.stand_in }
  if (isHidden) return { person: disguise.idOf('person', id), anonymous: 'classmates', number: post.stand_in }
  return namedAuthor({ id, name, hasLeft }, disguise)
}

/** Somebody who wrote under their name. */
export const namedAuthor = ({ id, name, hasLeft }: Writer, { idOf, isPseudonymous }: Disguise): Author =>
  hasLeft ? { former: isPseudonymous ? FORMER : name } : { person: idOf('person', id) }

const timeOf = (time: Date | null) => time?.toISOString() ?? null
