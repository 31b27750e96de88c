import type { Database } from '../../database/schema.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { isoDay } from '../../text/dates.ts'
import { languageOf } from '../../text/language.ts'
import { excerpt } from '../../text/plain.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { mentionablePath, questionPath } from '../../web/paths.ts'
import { MAX_COUNTED } from '../courses/course-bar.ts'
import type { CourseContext } from '../courses/course-page.ts'
import { POST_BODY } from '../posts/form.ts'
import { PostViews } from '../reading/post-views.ts'
import { answeredBefore, asShown } from '../reading/show.ts'
import { questionPage } from '../reading/show-page.ts'
import { findQuestionTree, type QuestionTree } from '../reading/tree.ts'
import { type NewerPost, seenOf } from './newer-posts.ts'
import { draftPlace } from './place.ts'
import { type DeskRow, findDeskRow } from './queries.ts'
import { type DeskRowView, deskRow, type RowOptions, sinceOf } from './rows.ts'
import { listSavedAnswers } from './saved-answers.ts'

interface OpenedOnDesk {
  readonly rows: readonly DeskRowView[]
  readonly openId: number
  readonly look: Omit<RowOptions, 'pathOf' | 'openId'>
  readonly stayPath: string
  /** Where it goes on behind a row; null: behind none, as the page ends. */
  readonly onPathOf: (row: DeskRowView | null) => string
  /** null: of a view that nobody counts, or not in the view. */
  readonly position: { readonly place: number; readonly count: number } | null
  readonly form: FormState | null
  /** What somebody posted that the form had not seen; null: nothing. */
  readonly newer: NewerPost | null
}

/**
 * null: it is not of this course, or deleted. Forms lead back to `stayPath`, and to `onPath`, the next question that no colleague
 * has, when they are done with it. Scripts say at `claimPath` that the viewer is about to answer.
 */
export async function openQuestion(context: CourseContext, opening: OpenedOnDesk) {
  const { db, course, viewer } = context
  const { rows, openId, look, form, newer, stayPath } = opening
  const [tree, found] = await Promise.all([
    findQuestionTree(db, openId, viewer, 'votes'),
    findDeskRow(db, course.id, openId),
  ])
  if (tree === undefined || found === null || tree.deleted_at !== null) return null
  const row = deskRow(found, { ...look, pathOf: () => stayPath, openId })
  const views = new PostViews(context, tree, null)
  const isAble = views.may('assign', tree)
  const isOpen = isAble && tree.status === 'unresolved' && tree.duplicate_of === null
  const pathTo = (act: string, isThere: boolean) => (isThere ? `/questions/${openId}/${act}` : null)
  const at = rows.findIndex(({ id }) => id === openId)
  const close = isOpen ? await answeredBefore(context, tree, MAX_CLOSE) : []
  const { assignee_id: assigneeId } = found
  const isFree = ({ id }: { readonly id: number }) => id !== look.viewerId && id !== assigneeId
  return {
    row,
    path: questionPath(tree),
    thread: questionPage(context, await asShown(context, tree), 'votes', null, []),
    previousPath: rows[at - 1]?.path ?? null,
    nextPath: rows[at + 1]?.path ?? null,
    position: positionText(opening),
    stayPath,
    onPath: opening.onPathOf(at < 0 ? null : (rows.slice(at + 1).find(isNext) ?? null)),
    closeTo: close.map((one) => ({ ...one, lang: languageOf(one.title), path: questionPath(one) })),
    duplicatePath: `/questions/${openId}/duplicate`,
    claimPath: pathTo('claim', isOpen),
    donePath: pathTo('done', isAble && found.is_answered && sinceOf(found) !== null),
    resolutionPath: pathTo('resolution', isOpen),
    turn: turnOf(found),
    isGivenUp: isGivenUp(found, look.now),
    assignment: !isOpen
      ? null
      : {
          action: `/questions/${openId}/assignment`,
          seen: assigneeId === null ? '' : String(assigneeId),
          isMine: assigneeId === look.viewerId,
          isTaken: assigneeId !== null,
          colleagues: (await listStaff(db, course.id)).filter(isFree),
        },
    snoozePath: pathTo('snooze', isOpen),
    snoozes: snoozeDays(look),
    isSnoozed: found.snoozed_until !== null && found.snoozed_until > look.now,
    answering: !(isAble && views.may('answer', tree))
      ? null
      : {
          action: `/questions/${openId}/desk`,
          draftPlace: draftPlace(openId),
          form: form ?? freshForm(),
          seen: seenOf(tree),
          newer: newer === null ? null : newerView(views, tree, newer),
          max: POST_BODY.max,
          peoplePath: mentionablePath(openId),
          saved: await listSavedAnswers(db, course.id),
        },
  }
}

const MAX_CLOSE = 3

/** What comes next is what no colleague has, nor is about to answer. */
const isNext = ({ assignee, answering }: DeskRowView) =>
  answering === null && (assignee === null || assignee.isViewer)

function positionText({ position, look: { t } }: OpenedOnDesk): string | null {
  if (position === null) return null
  return t(position.count < MAX_COUNTED ? 'desk.position' : 'desk.positionOfMany', { ...position })
}

/** null: it was deleted again meanwhile. */
function newerView(views: PostViews, tree: QuestionTree, { kind, id }: NewerPost) {
  const posts = kind === 'answer' ? tree.answers : tree.replies
  const post = posts.find((one) => one.id === id)
  if (post === undefined) return null
  return {
    kind,
    author: views.bylineOf(post).text,
    text: excerpt(post.body_html, NEWER_LENGTH),
    path: `#${kind}-${id}`,
  }
}

const NEWER_LENGTH = 200

/** Who can be given questions. Index: course_members_staff. */
function listStaff(db: Database, courseId: number) {
  return db
    .selectFrom('course_members as member')
    .innerJoin('people', 'people.id', 'member.person_id')
    .select(['people.id', 'people.display_name as name'])
    .where('member.course_id', '=', courseId)
    .where('member.role', '<>', 'learner')
    .orderBy('people.display_name')
    .limit(100)
    .execute()
}

const DAY_MS = 24 * 3_600_000
/** After so many days without a word of the asker, closing is offered. */
const GIVEN_UP_DAYS = 14

/** What the time that it waits is about: for staff, for its asker, or for somebody to see what was written after the end. */
function turnOf({ asker_since, waiting_since, classmates_since, replied_since }: DeskRow) {
  if (asker_since !== null) return 'asker'
  return waiting_since === null && classmates_since === null && replied_since !== null ? 'closed' : 'waiting'
}

const isGivenUp = ({ asker_since: since }: DeskRow, now: Date) =>
  since !== null && now.getTime() - new Date(since).getTime() >= GIVEN_UP_DAYS * DAY_MS

/** Tomorrow, in three days, in a week: dates, as they are sent. */
function snoozeDays({ t, now, timeZone }: OpenedOnDesk['look']) {
  return ([1, 3, 7] as const).map((days) => {
    const at = new Date(now.getTime() + days * DAY_MS)
    const day = writtenDate(at, timeZone, t, now).text
    return { until: isoDay(at, timeZone), text: t(`desk.snooze.days${days}`, { day }) }
  })
}
