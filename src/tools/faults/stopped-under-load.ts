import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../database/schema.ts'
import { aMailServer, someMail } from '../../mail/testing.ts'
import { startForum } from '../bench/speed/processes.ts'
import { getPageAs } from './client.ts'
import { atLeast, atMost, type Claim, equal, type Fault, type FaultContext, none, timed } from './fault.ts'
import { nothingLost } from './kept.ts'
import { isServed, type Sent, startTraffic } from './traffic.ts'
import { aWorld } from './world.ts'

const [READERS, WRITERS, VISITORS, MAILS] = [10, 10, 30, 20]

export const stoppedUnderLoad: Fault = {
  name: 'stopped-under-load',
  fault: 'SIGTERM under load',
  done: `${READERS} readers and ${WRITERS} writers on connections they keep, ${VISITORS} visitors, and ${MAILS} emails to a slow mail server; SIGTERM; a new process for the remaining emails`,
  wanted:
    'no request refused mid-way: new connections stop, running ones finish, exit 0 within 10 s, view counts and outgoing email kept',
  isQuick: true,
  run: stopUnderLoad,
}

async function stopUnderLoad(context: FaultContext): Promise<Claim[]> {
  const mail = await aMailServer(context.end)
  mail.beforeAcknowledging = () => sleep(300)
  const variables = { SMTP_URL: mail.url, MAIL_FROM: 'forum@example.org' }
  const { db, url, forum, people, question } = await aWorld(context, { people: 30, variables })
  await someMail(db, ...Array.from({ length: MAILS }, (_, number) => ({ subject: `Mail ${number}` })))
  const traffic = startTraffic(context.end, forum.url, people, question, {
    readers: READERS,
    writers: WRITERS,
    pause: 5,
    isKeptAlive: true,
  })
  await sleep(1500)
  await Promise.all(
    Array.from({ length: VISITORS }, (_, number) =>
      getPageAs(forum.url, question.path, { 'user-agent': `Mozilla/5.0 Firefox/${100 + number}.0` }),
    ),
  )
  const stopped = performance.now()
  forum.kill('SIGTERM')
  const { code, signal } = await forum.ended
  const took = performance.now() - stopped
  const sent = await traffic.stop()
  const views = await viewsOf(db, question.id)
  const kept = await nothingLost(db, sent)
  const next = await startForum(context.end, url, variables)
  await untilMailed(db)
  next.kill('SIGTERM')
  await next.ended
  const subjects = mail.arrived.map(({ source }) => /^subject: (.*)$/im.exec(source)?.[1] ?? '')
  return [
    equal('end of the process', code ?? signal, 0),
    ...timed(context, atMost('until then', took / 1000, 10, 's')),
    atLeast('requests under way when it was told to stop', underWay(sent, stopped).length, 1),
    none(
      'of these, not served',
      underWay(sent, stopped)
        .filter((one) => !isServed(one))
        .map(told),
    ),
    none('requests on kept connections that were reset', resetOnes(sent)),
    none('requests that began later and were neither served nor left alone', await midway(db, sent, stopped)),
    equal('views counted, of as many people and visitors', views, READERS + VISITORS),
    equal('emails that arrived', new Set(subjects).size, MAILS),
    equal('emails that arrived twice', subjects.length - new Set(subjects).size, 0),
    ...kept,
  ]
}

const told = ({ kind, status, failure }: Sent) => `${kind} ${failure ?? status}`

const underWay = (sent: readonly Sent[], moment: number) =>
  sent.filter(({ begun, ended }) => begun < moment && ended > moment)

/** Requests without a response, except refused connections. */
const resetOnes = (sent: readonly Sent[]) =>
  sent.filter(({ status, failure }) => status === null && !failure?.includes('ECONNREFUSED')).map(told)

/** A connection that closes without a response is correct for a late request, if it had no effect. */
async function midway(db: Database, sent: readonly Sent[], moment: number): Promise<string[]> {
  const bodies = new Set((await db.selectFrom('answers').select('body').execute()).map(({ body }) => body))
  const late = sent.filter((one) => one.begun >= moment && !isServed(one))
  return late.filter((one) => one.status !== null || bodies.has(one.text)).map(told)
}

async function viewsOf(db: Database, id: number): Promise<number> {
  const row = await db.selectFrom('questions').select('views_count').where('id', '=', id).executeTakeFirst()
  return row?.views_count ?? 0
}

async function untilMailed(db: Database): Promise<void> {
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(100)) {
    const left = await db.selectFrom('mails').select('id').where('sent_at', 'is', null).execute()
    if (left.length === 0) return
  }
}
