import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { aReply } from '../testing/builders.ts'
import { testDatabase } from '../testing/database.ts'

const SESSION = sql`insert into sessions (token_hash, person_id, user_agent)`
const MAIL = sql`insert into mails (kind, recipient, language, subject, text, html)`

test('a text that is longer than the forum ever makes it is refused', async (t) => {
  const db = await testDatabase(t)
  await aReply(db)
  const html = sql`repeat('a', 4000001)`
  for (const [change, constraint] of [
    [sql`update questions set body_html = ${html}`, 'questions_body_html_length'],
    [sql`update answers set body_html = ${html}`, 'answers_body_html_length'],
    [sql`update replies set body_html = ${html}`, 'replies_body_html_length'],
    [sql`${MAIL} values ('a', 'a@b.c', 'en', 'a', repeat('a', 20000001), 'a')`, 'mails_text_length'],
    [sql`${MAIL} values ('a', 'a@b.c', 'en', 'a', 'a', repeat('a', 20000001))`, 'mails_html_length'],
    [sql`${MAIL} values ('a', 'a@b.c', 'en', repeat('a', 201), 'a', 'a')`, 'mails_subject_form'],
    [sql`${SESSION} select sha256('a'), min(id), repeat('a', 301) from people`, 'sessions_user_agent_length'],
    [
      sql`insert into posted_once (key, person_id, path) select sha256('a'), min(id), repeat('a', 4001) from people`,
      'posted_once_path_length',
    ],
    [
      sql`insert into half_sign_ins (token_hash, person_id, way, path)
        select sha256('a'), min(id), 'password', repeat('a', 4001) from people`,
      'half_sign_ins_path_length',
    ],
    [sql`update people set time_zone = repeat('a', 65)`, 'people_time_zone_length'],
    [sql`update courses set time_zone = ''`, 'courses_time_zone_length'],
  ] as const)
    await assert.rejects(change.execute(db), { code: '23514', constraint })
  await sql`update questions set is_imported = true, body_html = ${html}`.execute(db)
})
