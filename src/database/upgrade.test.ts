import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newDatabase } from '../testing/database.ts'
import { migrate } from './migrate.ts'
import { knownMigrations } from './migrations/files.ts'
import { recount } from './recount.ts'

/** The last migration of the 0.3.0 that was in use while the changes after it were made. */
const LAST_IN_USE = '367_lists_told'

const ROWS = `
  insert into people (display_name, email, email_confirmed_at) values
    ('Mara', 'mara@example.com', now()), ('Jisoo', 'jisoo@example.com', now());
  insert into people (display_name, left_at) values ('former person', now());
  insert into courses (slug, title) values ('rest', 'REST'), ('gone', 'Gone');
  insert into categories (course_id, slug, name, position) select id, 'questions', 'Questions', 1 from courses;
  insert into course_members (course_id, person_id, role) values (1, 1, 'instructor');
  insert into questions (course_id, category_id, author_id, title, body, body_html, renderer_version)
    select 1, id, 2, 'Why?', 'Buy pills', '<p>Buy pills</p>', 1 from categories where course_id = 1;
  insert into tags (name) values ('java'), ('ｊａｖａ'), ('ılk'), ('ilk');
  insert into question_tags (question_id, tag_id, position) select 1, id, id from tags where id <= 3;
  insert into tag_follows (tag_id, person_id) values (1, 2), (2, 2), (3, 1);
  insert into cases (subject, question_id, person_id, course_id, is_reported, reports_count, text_version, reason)
    values ('question-1', 1, 2, 1, true, 1, '1', 'spam');
  insert into case_snapshots (case_id, text_version, title, body) values (1, '1', 'Why?', 'Buy pills');
  insert into reports (case_id, person_id, is_by_visitor, language, text_version, reason) values (1, 1, false, 'en', '1', 'spam');
  insert into course_deletions (course_id, was_public, members, pending)
    values (2, true, '[]', '[{"email": "late@example.com", "role": "assistant"}]');
  insert into api_tokens (token_hash, person_id, course_id, name, scopes, ends_at)
    select sha256(name::bytea), person_id, course_id, name, array['read', 'staff'], now() + interval '30 days'
    from (values ('own', 2, null), ('of a course', null, 1), ('of a deleted course', null, 2)) as token (name, person_id, course_id);
  insert into pending_roles (course_id, email, role) values (1, 'early@example.com', 'assistant');
  insert into reply_keys (token_hash, person_id, question_id, is_answer)
    select sha256(id::text::bytea), id, 1, false from people where id > 1;
`

test('a forum in use with cases, tokens, tags and pending roles is upgraded', async (t) => {
  const { db } = await newDatabase(t)
  const known = await knownMigrations()
  await migrate(db, { only: known.filter((name) => name <= LAST_IN_USE) })
  await sql.raw(ROWS).execute(db)

  assert.deepEqual(
    await migrate(db),
    known.filter((name) => name > LAST_IN_USE),
  )

  assert.deepEqual(await recount(db), [])
  const tags = db.selectFrom('question_tags').innerJoin('tags', 'tags.id', 'tag_id')
  assert.deepEqual(await tags.select(['name', 'position']).orderBy('position').execute(), [
    { name: 'java', position: 1 },
    { name: 'ilk', position: 3 },
  ])
  const follows = db.selectFrom('tag_follows').innerJoin('tags', 'tags.id', 'tag_id')
  assert.deepEqual(await follows.select(['name', 'person_id']).orderBy('person_id').execute(), [
    { name: 'ilk', person_id: 1 },
    { name: 'java', person_id: 2 },
  ])
  const tokens = await db.selectFrom('api_tokens').select('name').orderBy('id').execute()
  assert.deepEqual(
    tokens.map(({ name }) => name),
    ['own', 'of a course'],
  )
  const keys = await db.selectFrom('reply_keys').select('person_id').execute()
  assert.deepEqual(keys, [{ person_id: 2 }], 'keys of an account that was deleted end')
  assert.deepEqual(await db.selectFrom('pending_roles').select(['email', 'role', 'name']).execute(), [
    { email: 'early@example.com', role: 'assistant', name: null },
  ])
  const kept = await db.selectFrom('course_deletions').select('pending').executeTakeFirstOrThrow()
  assert.deepEqual(kept.pending, [{ email: 'late@example.com', role: 'assistant' }])
  const snapshots = db.selectFrom('case_snapshots').innerJoin('cases', 'cases.id', 'case_id')
  assert.deepEqual(await snapshots.select(['state', 'reports_count', 'body', 'excerpt']).execute(), [
    { state: 'open', reports_count: 1, body: 'Buy pills', excerpt: null },
  ])
})
