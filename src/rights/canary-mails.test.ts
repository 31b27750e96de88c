import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import PostalMime from 'postal-mime'
import { beginSession } from '../accounts/sessions/sessions.ts'
import type { Database } from '../database/schema.ts'
import { setFollowing } from '../forum/follows/commands.ts'
import { setPlaceFollowing } from '../forum/follows/places.ts'
import { mailDue } from '../forum/mailing/notifier.ts'
import type { Push } from '../forum/pushing/push-service.ts'
import { pushKind } from '../forum/pushing/send-push.ts'
import { subscribe } from '../forum/pushing/subscriptions.ts'
import { aPushBrowser, KEYS } from '../forum/pushing/testing.ts'
import { doJobs } from '../jobs/do-jobs.ts'
import { mailServer } from '../mail/mail-server.ts'
import { sendingTo } from '../mail/send-mail.ts'
import { type Arrived, aMailServer } from '../mail/testing.ts'
import { SECRET, silentLog } from '../testing/app.ts'
import { setAudience } from '../testing/audience.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadePerson,
} from '../testing/builders.ts'
import { testDatabase } from '../testing/database.ts'
import { aField, type Field, hide, NAME, PLANTERS } from './canaries-testing.ts'

const BASE_URL = 'https://forum.example'
const MAILING = {
  ...{ baseUrl: BASE_URL, secret: SECRET, soonSeconds: 0 },
  ...{ isSent: false, replyAddress: 'reply@forum.example' },
}

test('no mail, in any header or part, and no push tells of a private question, or the name behind an anonymous post', async (t) => {
  const db = await testDatabase(t)
  const field = await aField(db)
  const planted = []
  for (const plant of Object.values(PLANTERS)) planted.push(await plant(field))
  const kept = [...planted.flatMap((canaries) => canaries.private ?? []), 'zyxquarkkeptlater']
  const names = planted.flatMap((canaries) => canaries.name ?? [])
  const elsewhere = await aMember(db, await aCourse(db), 'instructor')
  const people = {
    ...{ outsider: await aPerson(db), 'instructor elsewhere': elsewhere, classmate: field.classmate },
    ...{ 'former staff': field.former, asker: field.asker, staff: field.staff },
    admin: await aPerson(db, { isAdmin: true }),
  }
  const told = await everybodyHears(t, field, Object.values(people))

  // While all of it is open, everybody is told of it.
  await happen(field, false)
  const open = await told()
  for (const [name, person] of Object.entries(people)) {
    const { mail, pushes } = open(person)
    for (const word of ['zyxquarkkepttitle', 'zyxquarkkeptlater'])
      assert.ok(mail.includes(word), `a mail tells ${name} what is open`)
    assert.ok(mail.includes(NAME), `a mail names to ${name} who wrote`)
    assert.ok(pushes.includes('zyxquarkkepttitle') && pushes.includes(NAME), `a push tells ${name}`)
  }

  // What waits to be told as it becomes private, and what comes afterwards.
  await happen(field, false)
  await hide(field)
  await setAudience(db, field.question.id, 'staff')
  await happen(field, true)
  const hidden = await told()
  for (const [name, person] of Object.entries(people)) {
    const { mail, pushes } = hidden(person)
    const isStaff = name === 'staff' || name === 'admin'
    const unentitled = isStaff ? [] : name === 'asker' ? names : [...kept, ...names]
    const leaks = unentitled.filter((word) => `${mail}${pushes}`.includes(word))
    assert.deepEqual(leaks, [], `what ${name} is told`)
    // Of the anonymous posts all are told.
    assert.ok(mail.includes('zyxquarkopenlater') && pushes !== '', `${name} is told what they may know`)
    if (isStaff || name === 'asker') assert.ok(mail.includes('zyxquarkkeptlater'), name)
    if (isStaff) assert.ok(mail.includes(NAME) && pushes.includes(NAME), `${name} sees names`)
  }
})

/** Posts in the private question, and by `hidden` in the open one and in a new one. */
async function happen({ db, ...field }: Field, isHidden: boolean): Promise<void> {
  const { question, open, hidden, course } = field
  // Of the staff, so that the asker and others of the staff are told.
  const author = await aMember(db, course, 'assistant')
  await aReply(db, { question, author, body: 'More: zyxquarkkeptlater' })
  await anAnswer(db, { question, author, body: 'And this: zyxquarkkeptlater' })
  const own = { author: hidden, isAnonymous: isHidden, body: 'Open: zyxquarkopenlater' }
  await anAnswer(db, { ...own, question: open })
  await aReply(db, { ...own, question: open })
  await aQuestion(db, { ...own, course })
}

/** @returns mails everybody and gives what each was told since the last time, as text */
async function everybodyHears(t: TestContext, { db, ...field }: Field, people: readonly MadePerson[]) {
  const server = await aMailServer(t)
  const browsers = new Map<number, ReturnType<typeof aPushBrowser>>()
  for (const person of people) {
    for (const { id } of [field.question, field.open]) await setFollowing(db, id, person.id, 'follow')
    await setPlaceFollowing(db, { kind: 'course', id: field.course.id }, person.id, true)
    browsers.set(person.id, await aBrowserOf(db, person))
  }
  const pushed: Push[] = []
  const post = async (push: Push) => {
    pushed.push(push)
    return 201
  }
  const pushing = { baseUrl: BASE_URL, mailFrom: 'f@forum.example', keys: async () => KEYS, post }
  const mails = sendingTo(
    db,
    mailServer({ url: server.url, from: 'f@forum.example', host: 'forum.example' }),
    silentLog(),
  )
  return async () => {
    server.arrived.length = 0
    pushed.length = 0
    await mailDue(db, silentLog(), MAILING)
    await doJobs(db, mails)
    await doJobs(db, pushKind(db, pushing))
    const texts = await Promise.all(server.arrived.map(textOfMail))
    return ({ id, email }: MadePerson) => {
      const browser = browsers.get(id)
      const own = pushed.filter(({ endpoint }) => endpoint === browser?.subscription.endpoint)
      return {
        mail: texts.filter((_text, index) => server.arrived[index]?.to.includes(email)).join('\n'),
        pushes: own.map((push) => JSON.stringify([push.headers, browser?.read(push)])).join('\n'),
      }
    }
  }
}

async function aBrowserOf(db: Database, { id }: MadePerson) {
  const browser = aPushBrowser()
  const session = { personId: id, sessionToken: await beginSession(db, id, 'a test') }
  await subscribe(db, session, browser.subscription, KEYS.publicKey)
  return browser
}

/** A mail as it was sent, and its headers and parts decoded. */
async function textOfMail({ source }: Arrived): Promise<string> {
  const { headers, text = '', html = '' } = await PostalMime.parse(source)
  return [source, JSON.stringify(headers), text, html].join('\n')
}
