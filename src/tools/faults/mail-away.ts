import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { aMailServer, someMail, type TestMailServer } from '../../mail/testing.ts'
import { startForum } from '../bench/speed/processes.ts'
import { atLeast, atMost, type Claim, equal, type Fault, type FaultContext } from './fault.ts'

const MAILS_BEFORE = 20
const MAILS_MEANWHILE = 20
const STEP_MINUTES = 10
/** In milliseconds: two processes poll the outbox every two seconds. */
const TWO_POLLS_MS = 4000

export const mailAway: Fault = {
  name: 'mail-away',
  fault: 'mail server down for an hour',
  done: `two processes; ${MAILS_BEFORE} emails written before, ${MAILS_MEANWHILE} meanwhile; the mail server gone for 20 minutes, silent for 20 and refusing (451) for 20, each ${STEP_MINUTES} minutes by moving what waits ${STEP_MINUTES} minutes into the past; then it is back`,
  wanted: 'nothing lost, nothing sent twice, delivered after',
  isQuick: false,
  run: beAwayForAnHour,
}

async function beAwayForAnHour(context: FaultContext): Promise<Claim[]> {
  const { end } = context
  const [{ db, url }, mail] = [await context.database(), await aMailServer(end)]
  await mail.goAway()
  await write(db, 'before', MAILS_BEFORE)
  for (const _process of [1, 2])
    await startForum(end, url, { SMTP_URL: mail.url, MAIL_FROM: 'forum@example.org' })
  for (const away of [mail.goAway, mail.goSilent, () => refuse(mail)]) {
    await away()
    for (const _time of [1, 2]) {
      await sleep(TWO_POLLS_MS)
      await passMinutes(db)
    }
    context.say(`tries so far: ${await triesOf(db)}`)
  }
  await write(db, 'meanwhile', MAILS_MEANWHILE)
  const [tries, arrivedBefore] = [await triesOf(db), mail.arrived.length]
  mail.refuseWith = null
  await mail.comeBack()
  const took = await untilSent(db)
  const subjects = mail.arrived.map(({ source }) => /^subject: (.*)$/im.exec(source)?.[1] ?? '')
  return [
    atLeast('tries in that hour', tries, 3),
    atMost('the same: a server that takes nothing is left alone', tries, 2 * MAILS_BEFORE, 'tries'),
    equal('emails that arrived before the server was back', arrivedBefore, 0),
    equal(
      `mails that arrived, of ${MAILS_BEFORE + MAILS_MEANWHILE}`,
      new Set(subjects).size,
      MAILS_BEFORE + MAILS_MEANWHILE,
    ),
    equal('emails that arrived twice', subjects.length - new Set(subjects).size, 0),
    atMost(
      'until all were there (of at most 12 minutes’ waiting for the next try, which is moved too)',
      took,
      30,
      's',
    ),
  ]
}

function write(db: Database, name: string, count: number): Promise<void> {
  return someMail(db, ...Array.from({ length: count }, (_, number) => ({ subject: `${name} ${number}` })))
}

async function refuse(mail: TestMailServer): Promise<void> {
  mail.refuseWith = { code: 451, text: 'Later, please', at: 'message' }
  await mail.comeBack()
}

/** Moves the waiting mails' schedule forward. Mails with a lease are left alone. */
async function passMinutes(db: Database): Promise<void> {
  const minutes = sql`${STEP_MINUTES} * interval '1 minute'`
  await sql`update jobs set due_at = due_at - ${minutes}, give_up_at = give_up_at - ${minutes}
    where last_error is not null`.execute(db)
}

async function triesOf(db: Database): Promise<number> {
  const { rows } = await sql<{
    tries: number
  }>`select coalesce(sum(tries), 0)::integer as tries from jobs`.execute(db)
  return rows[0]?.tries ?? 0
}

/** Seconds until all mails are sent, with back-off times skipped; at most a minute. */
async function untilSent(db: Database): Promise<number> {
  const begun = performance.now()
  while (performance.now() - begun < 60_000) {
    const left = await db.selectFrom('mails').select('id').where('sent_at', 'is', null).execute()
    if (left.length === 0) break
    await passMinutes(db)
    await sleep(500)
  }
  return (performance.now() - begun) / 1000
}
