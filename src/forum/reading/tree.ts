import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { CompiledStatements } from '../../database/compiled.ts'
import type { Database } from '../../database/schema.ts'
import { type Actor, withRightsOf } from '../../kernel/rights/rights.ts'
import { hidingOf, readableTo, shownTo } from '../../kernel/rights/visibility.ts'
import { askedCount } from '../authors/asked-count.ts'
import { sealedName } from '../authors/sealed-name.ts'
import { isUndoable } from '../posts/find.ts'
import { KINDS, type PostTable } from '../posts/kinds.ts'
import { isPinned } from '../posts/pin.ts'
import { isVotedBy } from '../posts/vote.ts'
import { keptPrivate } from '../questions/audience.ts'
import { leftOutOf } from '../questions/left-out.ts'
import { tagsOf } from '../tags/tagging.ts'
import { deletedPosts } from './deleted-posts.ts'

export const ANSWER_SORTS = ['votes', 'oldest', 'newest'] as const
export type AnswerSort = (typeof ANSWER_SORTS)[number]

export type QuestionTree = Awaited<ReturnType<ReturnType<typeof selectTree>['execute']>>[number]
export type AnswerNode = QuestionTree['answers'][number]
export type ReplyNode = QuestionTree['replies'][number]

/** What stands for the ids in the compiled statement. */
const [QUESTION, VIEWER] = [-1, -2]
const statements = new CompiledStatements<QuestionTree>()

/**
 * A question with its answers and replies, and the viewer's votes on them: one round trip, the tree is built by
 * PostgreSQL. Deleted answers and replies stand apart; a deleted question is found, with its `deleted_at`. What is held back or hidden
 * is there for its author and staff, with its `hiding`.
 * @param viewer whose votes are marked
 * @returns undefined when there is no such question, or the viewer may not read it: its tree is not loaded then, so that
 *   neither statements nor their time tell one from the other
 */
export async function findQuestionTree(db: Database, id: number, viewer: Actor | null, sort: AnswerSort) {
  // Nothing else of the viewer gets into the statement.
  const actor = withRightsOf(viewer, VIEWER)
  const values = new Map([
    [QUESTION, id],
    [VIEWER, viewer?.id ?? 0],
  ])
  const build = () => selectTree(db, QUESTION, actor, sort)
  const [tree] = await statements.rows(db, JSON.stringify([actor, sort]), build, values)
  return tree
}

function selectTree(db: Database, id: number, viewer: Actor | null, sort: AnswerSort) {
  const viewerId = viewer?.id ?? null
  return (
    db
      .selectFrom('questions as q')
      .innerJoin('courses as course', 'course.id', 'q.course_id')
      .innerJoin('categories as category', 'category.id', 'q.category_id')
      .innerJoin('people as author', 'author.id', 'q.author_id')
      .leftJoin('lectures as lecture', 'lecture.id', 'q.lecture_id')
      .leftJoin('course_members as member', (join) =>
        join.onRef('member.course_id', '=', 'q.course_id').onRef('member.person_id', '=', 'q.author_id'),
      )
      .leftJoin('stand_ins as stand_in', (join) =>
        join.onRef('stand_in.question_id', '=', 'q.id').onRef('stand_in.person_id', '=', 'q.author_id'),
      )
      .select(['q.id', 'q.title', 'q.body', 'q.body_html', 'q.status', 'q.accepted_answer_id', 'q.version'])
      .select(['q.deleted_at', 'q.purged_at', 'q.answers_count', 'q.votes_count', 'q.views_count'])
      .select([
        'q.written_at',
        'q.edited_at',
        'q.author_id',
        'q.answers_closed_at',
        'q.closing_reason',
        'q.audience',
      ])
      .select(['q.was_open', 'q.is_anonymous', 'stand_in.number as stand_in'])
      .select(['course.allows_private', 'course.allows_anonymous'])
      .select(sql<boolean>`q.audience = 'staff' and ${keptPrivate(sql`q.id`)}`.as('is_kept_private'))
      // Of the question that answers this one, only what its readers may know.
      .leftJoin('questions as original', (join) =>
        join.onRef('original.id', '=', 'q.duplicate_of').on('original.is_listed', '=', true),
      )
      .leftJoin('people as linker', 'linker.id', 'q.duplicate_by')
      .select(['q.duplicate_of', 'original.id as original_id', 'original.title as original_title'])
      .select(['original.answers_count as original_answers'])
      .select(['linker.id as linker_id', 'linker.display_name as linker_name'])
      .leftJoin('question_desk as desk', 'desk.question_id', 'q.id')
      .leftJoin('people as assignee', 'assignee.id', 'desk.assignee_id')
      .select(['desk.assignee_id', 'assignee.display_name as assignee_name'])
      .select([isPinned.as('is_pinned'), COPIED_FROM.as('copied_from')])
      .select(['course.id as course_id', 'course.slug as course_slug', 'course.title as course_title'])
      .select(['course.field', 'course.language', 'course.time_zone', 'course.is_public'])
      .select(['course.asking', 'course.accent', 'course.archived_at'])
      .select(['category.slug as category_slug', 'category.name as category_name'])
      .select(['lecture.position as lecture_position', 'lecture.title as lecture_title'])
      .select([sealedName('author.display_name').as('author_name'), 'member.role as author_role'])
      .select(askedCount(viewer).as('questions_count'))
      .select((select) => [
        isVotedBy('question', 'q', viewerId).as('is_voted'),
        // Who writes follows: a number that goes up with an anonymous post, or doesn't, would tell whether its author was here before.
        select
          .selectFrom('question_follows as follow')
          .select((count) => count.fn.countAll<number>().as('count'))
          .whereRef('follow.question_id', '=', 'q.id')
          .where('follow.level', '=', 'follow')
          .whereRef('follow.person_id', '<>', 'q.author_id')
          .having(sql<boolean>`not exists (select from stand_ins where question_id = q.id)`)
          .as('follows_count'),
        select
          .selectFrom('question_follows as follow')
          .select('follow.level')
          .whereRef('follow.question_id', '=', 'q.id')
          .where('follow.person_id', '=', viewerId ?? 0)
          .as('follow_level'),
        hasVersions('q', 'questions').as('has_versions'),
        isUndoable('q').as('is_undoable'),
        hidingOf('q').as('hiding'),
        'q.held_for',
        'q.was_staff',
        importedFrom('question', 'q').as('imported_from'),
        tagsOf(select).as('tags'),
        deletedPosts(viewer).as('deleted_posts'),
        // Where posts of the page had another number: links to that lead on.
        jsonArrayFrom(
          select
            .selectFrom('conversions as conversion')
            .select([
              'conversion.from_kind',
              'conversion.from_id',
              'conversion.answer_id',
              'conversion.reply_id',
            ])
            .whereRef('conversion.question_id', '=', 'q.id')
            .orderBy('conversion.id'),
        ).as('conversions'),
        jsonArrayFrom(
          select
            .selectFrom('answers as a')
            .innerJoin('people', 'people.id', 'a.author_id')
            .leftJoin('course_members as role', (join) =>
              join.onRef('role.course_id', '=', 'q.course_id').onRef('role.person_id', '=', 'a.author_id'),
            )
            .leftJoin('stand_ins as stand_in', (join) =>
              join.onRef('stand_in.question_id', '=', 'q.id').onRef('stand_in.person_id', '=', 'a.author_id'),
            )
            .select(['a.is_anonymous', 'stand_in.number as stand_in'])
            .select(leftOutOf('a', viewerId).as('left_out'))
            .select([
              hasVersions('a', 'answers').as('has_versions'),
              hidingOf('a').as('hiding'),
              'a.held_for',
              'a.was_staff',
              importedFrom('answer', 'a').as('imported_from'),
            ])
            .select(['a.id', 'a.body_html', 'a.votes_count', 'a.written_at', 'a.edited_at', 'a.author_id'])
            .select([sealedName('people.display_name').as('author_name'), 'role.role as author_role'])
            .leftJoin('people as endorser', 'endorser.id', 'a.endorsed_by')
            .select(['a.endorsed_by', 'endorser.display_name as endorser_name'])
            .select(isVotedBy('answer', 'a', viewerId).as('is_voted'))
            .whereRef('a.question_id', '=', 'q.id')
            .where(shownTo(viewer, 'a'))
            .orderBy(sql`a.id is not distinct from q.accepted_answer_id`, 'desc')
            .orderBy(sql.raw(ANSWER_ORDERS[sort])),
        ).as('answers'),
        jsonArrayFrom(
          select
            .selectFrom('replies as r')
            .innerJoin('people', 'people.id', 'r.author_id')
            .leftJoin('course_members as role', (join) =>
              join.onRef('role.course_id', '=', 'q.course_id').onRef('role.person_id', '=', 'r.author_id'),
            )
            .leftJoin('stand_ins as stand_in', (join) =>
              join.onRef('stand_in.question_id', '=', 'q.id').onRef('stand_in.person_id', '=', 'r.author_id'),
            )
            .select(['r.is_anonymous', 'stand_in.number as stand_in'])
            .select(leftOutOf('r', viewerId).as('left_out'))
            .select([
              hasVersions('r', 'replies').as('has_versions'),
              hidingOf('r').as('hiding'),
              'r.held_for',
              'r.was_staff',
              importedFrom('reply', 'r').as('imported_from'),
            ])
            .select(['r.id', 'r.answer_id', 'r.body_html', 'r.written_at', 'r.edited_at', 'r.author_id'])
            .select([sealedName('people.display_name').as('author_name'), 'role.role as author_role'])
            .whereRef('r.question_id', '=', 'q.id')
            .where(shownTo(viewer, 'r'))
            .leftJoin('answers as parent', 'parent.id', 'r.answer_id')
            .where(sql<boolean>`(r.answer_id is null or ${shownTo(viewer, 'parent')})`)
            .orderBy('r.written_at')
            .orderBy('r.id'),
        ).as('replies'),
      ])
      .where('q.id', '=', id)
      .where(readableTo(viewer))
  )
}

/** Whether an earlier text of a post was kept; only those that were edited are looked at. */
/** The title of the course of which this is a later run, where the question came along to it; null: it was asked here. */
const COPIED_FROM = sql<string | null>`case when q.is_imported then (
  select run.copied_from from imported_posts as brought join import_runs as run on run.id = brought.run_id
  where brought.question_id = q.id) end`

function hasVersions(post: 'q' | 'a' | 'r', table: PostTable) {
  return sql<boolean>`case when ${sql.ref(`${post}.edited_at`)} is null then false
    else exists (select from post_versions where ${sql.ref(KINDS[table].column)} = ${sql.ref(`${post}.id`)}) end`
}

/** The kind of forum that a post was imported from: `ed`, `piazza`…; null: it was written in this one. Uses indexes imported_posts_question… */
function importedFrom(kind: 'question' | 'answer' | 'reply', post: 'q' | 'a' | 'r') {
  return sql<string | null>`case when ${sql.ref(`${post}.is_imported`)}
    then (select case when run.copied_from is null then brought.source end
      from imported_posts as brought left join import_runs as run on run.id = brought.run_id
      where ${sql.ref(`brought.${kind}_id`)} = ${sql.ref(`${post}.id`)}) end`
}

/** Below the accepted answer, which always comes first. */
const ANSWER_ORDERS: Record<AnswerSort, string> = {
  votes: 'a.votes_count desc, a.written_at, a.id',
  oldest: 'a.written_at, a.id',
  newest: 'a.written_at desc, a.id desc',
}

export function courseOf(tree: QuestionTree) {
  return {
    id: tree.course_id,
    slug: tree.course_slug,
    title: tree.course_title,
    language: tree.language,
    timeZone: tree.time_zone,
    isPublic: tree.is_public,
    asking: tree.asking,
    accent: tree.accent,
    isArchived: tree.archived_at !== null,
  }
}
