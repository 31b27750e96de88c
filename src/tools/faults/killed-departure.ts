import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { leave } from '../../accounts/deletion/testing.ts'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { startForum } from '../bench/speed/processes.ts'
import { atLeast, type Claim, equal, type Fault, type FaultContext, none } from './fault.ts'
import '../../tables.ts'

const ANSWERS = 150
/** Posts after whose removal the process is killed. */
const KILLED_AFTER = 10
const WORD = 'zwiebelfisch'
/** Until another process may go on for the one that was killed, and a bit. */
const PATIENCE_MS = 150_000

export const killedDeparture: Fault = {
  name: 'killed-departure',
  fault: 'the app killed (SIGKILL) while it deletes the posts of a deleted account',
  done: `an account with ${ANSWERS} answers deleted with its posts; SIGKILL as soon as ${KILLED_AFTER} are removed; a new process`,
  wanted:
    'the account is closed, nothing is stuck: the new process deletes the rest, no text is left, counters are correct',
  isQuick: false,
  run: killDeparture,
}

async function killDeparture({ end, database, say }: FaultContext): Promise<Claim[]> {
  const { db, url } = await database()
  const person = await aPerson(db)
  const question = await aQuestion(db)
  for (let number = 0; number < ANSWERS; number += 1)
    await anAnswer(db, { question, author: person, body: `${WORD} ${number}` })
  const forum = await startForum(end, url)
  await leave(db, person.id, 'delete')
  while ((await purged(db)) < KILLED_AFTER);
  forum.kill('SIGKILL')
  await forum.ended
  const before = await purged(db)
  const wrong = (await recount(db)).length
  const next = await startForum(end, url)
  const begun = performance.now()
  while (performance.now() - begun < PATIENCE_MS && (await isUnderWay(db))) await sleep(500)
  say(
    `${before} were removed before the kill, the rest ${((performance.now() - begun) / 1000).toFixed(0)} s after it`,
  )
  const { rows } = await sql<{ id: number }>`
    select id from answers where body like ${`%${WORD}%`} or body_html like ${`%${WORD}%`}`.execute(db)
  const account = await db
    .selectFrom('people')
    .select('email')
    .where('id', '=', person.id)
    .executeTakeFirstOrThrow()
  const differences = await recount(db)
  next.kill('SIGTERM')
  return [
    atLeast('answers the kill left for the next process', ANSWERS - before, 1),
    equal('wrong counters after the kill', wrong, 0),
    equal('answers removed at the end', await purged(db), ANSWERS),
    none(
      'answers with their text',
      rows.map(({ id }) => String(id)),
    ),
    equal('the address of the account', account.email, null),
    equal('wrong counters at the end', differences.length, 0),
  ]
}

async function isUnderWay(db: Database): Promise<boolean> {
  return (await db.selectFrom('departures').select('person_id').execute()).length > 0
}

async function purged(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from answers where purged_at is not null`.execute(db)
  return rows[0]?.count ?? 0
}
