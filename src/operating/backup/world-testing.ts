import { type RawBuilder, sql } from 'kysely'
import { aWorld as aWorldOfPages } from '../../../e2e/world.ts'
import type { Database } from '../../database/schema.ts'
import { saveDraft } from '../../forum/drafts/draft.ts'
import { mergeAccounts } from '../../forum/merging/merge.ts'
import { aWorld as aWorldOfRights, ROLES } from '../../kernel/rights/world-testing.ts'
import type { Ending } from '../../testing/at-end.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { addRow, setRows } from '../../testing/rows.ts'
import { loadSample } from '../sample/sample.ts'
import { aBackup } from './testing.ts'

/**
 * Backs up a forum with the sample, the world that journeys look at, the one in which every right is tried (posts in every state, cases,
 * measures, objections, invitations), and what else a release has to carry on: `KINDS_OF_ROWS`.
 */
export async function backUpWorld(ending: Ending, path: string): Promise<void> {
  const { db, url } = await testDatabaseWithUrl(ending)
  await loadSample(db, { language: 'en', admin: true })
  await aWorldOfPages(db)
  const { actors } = await aWorldOfRights(db)
  for (const role of ROLES) {
    const personId = actors[role].id
    await setRows(db, 'people', personId, { display_name: nameInWorld(role) })
    await saveDraft(db, { personId, place: '/questions', fields: { body: 'A draft.' }, version: 0 })
  }
  await addWhatIsRare(db, actors.instructor.id)
  await aBackup({ db, url, dataDir: `${path}.pictures` }, path)
}

/** What the people of the world are called, who have a role each. */
export const nameInWorld = (role: string) => `Golden ${role}`

/** A held question and answer, a role that waits, accounts merged into one, and someone who reads a digest a day. */
async function addWhatIsRare(db: Database, actorId: number): Promise<void> {
  const course = await aCourse(db)
  const asker = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Digest reader' }))
  await db.updateTable('people').set({ mail_rhythm: 'daily' }).where('id', '=', asker.id).execute()
  const question = await aQuestion(db, { course, author: asker, title: 'Answered today' })
  const former = await aPerson(db, { displayName: 'Two accounts' })
  await anAnswer(db, { question, author: former })
  const into = await aPerson(db, { displayName: 'One account' })
  await db
    .transaction()
    .execute((write) =>
      mergeAccounts(write, { fromId: former.id, intoId: into.id, actorId, formerName: 'Former account' }),
    )
  const held = await aQuestion(db, { course, title: 'Waiting for review' })
  for (const [table, post] of [
    ['questions', held],
    ['answers', await anAnswer(db, { question, author: into })],
  ] as const)
    await db
      .updateTable(table as 'answers')
      .set({ held_at: new Date(), held_for: 'all' })
      .where('id', '=', post.id)
      .execute()
  await addRow(db, 'pending_roles', {
    course_id: course.id,
    email: 'waiting@example.org',
    role: 'assistant',
    name: 'Waiting',
  })
}

/** Rows that each stored backup has since 0.3.0, so that an upgrade is tried with them: their tables, and which of them. */
export const KINDS_OF_ROWS: Readonly<Record<string, RawBuilder<unknown>>> = {
  'private questions': sql`questions where audience = 'staff'`,
  'held questions': sql`questions where held_at is not null`,
  'held answers': sql`answers where held_at is not null`,
  'hidden questions': sql`questions where hidden_at is not null`,
  'anonymous questions': sql`questions where is_anonymous`,
  'deleted answers': sql`answers where deleted_at is not null`,
  'open cases': sql`cases where state = 'open'`,
  'decided cases': sql`cases where state <> 'open'`,
  measures: sql`measures`,
  objections: sql`objections`,
  'merged accounts': sql`account_merges`,
  'roles that wait': sql`pending_roles`,
  'roles that a list asked for': sql`asked_roles`,
  drafts: sql`drafts`,
  'unread notifications': sql`notifications where seen_at is null`,
  'open digests': sql`delivery_windows where ends_at > begins_at`,
}
