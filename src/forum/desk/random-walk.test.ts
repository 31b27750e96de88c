import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'

const ACTS = 5000
const PER_TRANSACTION = 50
const KINDS = 12

/**
 * Acts on the tables that whose turn it is depends on, `number` chooses among what is there. Inside the database: a command each
 * would take minutes.
 */
const walk = sql`
  create function pg_temp.act(kind integer, q bigint, person bigint, staff bigint, number integer, moment timestamptz)
  returns void language plpgsql as $$
  declare
    answer constant bigint := (select id from answers where question_id = q order by id offset number % 3 limit 1);
    reply constant bigint := (select id from replies where question_id = q order by id offset number % 5 limit 1);
  begin
    case kind
      when 0 then insert into answers (question_id, author_id, body, body_html, renderer_version, written_at) values (q, person, 'A', '<p>A</p>', 1, moment)
        on conflict do nothing;
      when 1 then insert into replies (question_id, author_id, body, body_html, renderer_version, written_at, calls_staff)
        values (q, person, 'R', '<p>R</p>', 1, moment, number % 7 = 0);
      when 2 then insert into replies (question_id, answer_id, author_id, body, body_html, renderer_version, written_at)
        select q, answer, person, 'R', '<p>R</p>', 1, moment where answer is not null;
      when 3 then update questions set status = case status when 'resolved' then 'unresolved' else 'resolved' end,
        accepted_answer_id = null where id = q;
      when 4 then update questions set duplicate_of = case when duplicate_of is null then (select min(id) from questions where id <> q) end
        where id = q;
      when 5 then update answers set endorsed_by = case when endorsed_by is null then staff end,
        endorsed_at = case when endorsed_by is null then moment end where id = answer;
      when 6 then update answers set deleted_at = case when deleted_at is null then moment end where id = answer;
      when 7 then update replies set deleted_at = case when deleted_at is null then moment end where id = reply;
      when 8 then update questions set deleted_at = case when deleted_at is null then moment end where id = q;
      when 9 then update question_desk set done_at = case when number % 3 > 0 then moment end,
        done_by = case when number % 3 > 0 then staff end where question_id = q;
      when 10 then update question_desk set snoozed_until = 'infinity' where question_id = q;
      else update course_members set role = case role when 'learner' then 'assistant' else 'learner' end
        where person_id = person and role <> 'instructor';
    end case;
  end $$`

/** A linear congruential generator: the same walk each time. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    yield Math.floor(state / 65_536)
  }
}

test(`whose turn it is equals a recount after a walk of ${ACTS} acts`, async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const staff = await aMember(db, course, 'instructor')
  const people = [staff, await aMember(db, course), await aMember(db, course), await aPerson(db)]
  const questions: { id: number }[] = []
  for (let number = 0; number < 60; number += 1)
    questions.push(await aQuestion(db, { course, author: people[1 + (number % 3)] ?? staff }))
  const next = numbers(29)
  const seen = new Set<number>()
  for (let done = 0; done < ACTS; done += PER_TRANSACTION)
    await db.transaction().execute(async (write) => {
      await walk.execute(write)
      const acts = Array.from({ length: PER_TRANSACTION }, (_, act) => ({
        kind: next.next().value % KINDS,
        question: questions[next.next().value % questions.length]?.id,
        person: people[next.next().value % people.length]?.id,
        number: next.next().value,
        moment: new Date(Date.now() - (ACTS - done - act) * 1000),
      }))
      for (const { kind } of acts) seen.add(kind)
      await sql`
        select pg_temp.act(kind, question, person, ${staff.id}::bigint, number, moment)
        from jsonb_to_recordset(${JSON.stringify(acts)}::jsonb)
          as act (kind integer, question bigint, person bigint, number integer, moment timestamptz)`.execute(
        write,
      )
      await sql`drop function pg_temp.act`.execute(write)
    })
  assert.equal(seen.size, KINDS)
  const wrong = (await recount(db)).filter(({ counter }) => counter.startsWith('question_desk'))
  assert.deepEqual(wrong, [])
})
