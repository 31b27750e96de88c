import type { TestContext } from 'node:test'
import PostalMime from 'postal-mime'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import type { Database } from '../../database/schema.ts'
import { setFollowing, setPlaceFollowing } from '../../forum/follows/following.ts'
import { mailDue, mailRenewals } from '../../forum/mailing/notifier.ts'
import type { Push } from '../../forum/pushing/push-service.ts'
import { pushKind } from '../../forum/pushing/send-push.ts'
import { subscribe } from '../../forum/pushing/subscriptions.ts'
import { aPushBrowser, KEYS } from '../../forum/pushing/testing.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { mailServer } from '../../mail/mail-server.ts'
import { sendingTo } from '../../mail/send-mail.ts'
import { type Arrived, aMailServer } from '../../mail/testing.ts'
import { SECRET, silentLog } from '../../testing/app.ts'
import type { MadeCourse, MadePerson, MadeQuestion } from '../../testing/builders.ts'
import { within } from '../../testing/within.ts'

const BASE_URL = 'https://forum.example'
const MAILING = {
  ...{ baseUrl: BASE_URL, secret: SECRET, soonSeconds: 0 },
  ...{ isSent: false, replyAddress: 'reply@forum.example' },
}

/** What somebody was told since the last time, each as text with its headers. */
export interface Heard {
  readonly mails: readonly string[]
  readonly pushes: readonly string[]
}

/** What people follow, so that they are told of it. */
interface Followed {
  readonly course: MadeCourse
  readonly questions: readonly MadeQuestion[]
}

/** Lets people hear of all that happens in a course, by mail and by push, through a mail server. */
export async function everybodyHears(
  t: TestContext,
  db: Database,
  people: readonly MadePerson[],
  { course, questions }: Followed,
) {
  const server = await aMailServer(t)
  const browsers = new Map<number, ReturnType<typeof aPushBrowser>>()
  for (const person of people) {
    for (const { id } of questions) await within(db, setFollowing, id, person.id, 'follow')
    await within(db, setPlaceFollowing, { kind: 'course', id: course.id }, person.id, true)
    browsers.set(person.id, await aBrowserOf(db, person))
  }
  const pushed: Push[] = []
  const post = async (push: Push) => {
    pushed.push(push)
    return 201
  }
  const pushing = {
    ...{ baseUrl: BASE_URL, mailFrom: 'f@forum.example', soonSeconds: 0 },
    ...{ keys: async () => KEYS, post },
  }
  const smtp = mailServer({ url: server.url, from: 'f@forum.example', host: 'forum.example' })
  const mails = sendingTo(db, smtp, silentLog(), { renewals: mailRenewals(MAILING) })
  return {
    /** Writes what is due into the outbox, where it waits. */
    writeMails: () => mailDue(db, silentLog(), MAILING),
    /** Writes and sends everything. @returns what each was told since the last time */
    hear: async (): Promise<(person: MadePerson) => Heard> => {
      server.arrived.length = 0
      pushed.length = 0
      await mailDue(db, silentLog(), MAILING)
      await doJobs(db, mails)
      await doJobs(db, pushKind(db, pushing))
      const texts = await Promise.all(server.arrived.map(textOfMail))
      return ({ id, email }) => {
        const browser = browsers.get(id)
        const own = pushed.filter(({ endpoint }) => endpoint === browser?.subscription.endpoint)
        return {
          mails: texts.filter((_text, index) => server.arrived[index]?.to.includes(email)),
          pushes: own.map((push) => JSON.stringify([push.headers, browser?.read(push)])),
        }
      }
    },
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
