import assert from 'node:assert/strict'
import type { Database } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { unseenNotifications } from '../notifications/queries.ts'
import { HIDDEN } from './play-testing.ts'
import { writeMails } from './testing.ts'
import { type Item, isSaid, type Said, type Wishes } from './wishes-testing.ts'

/** Strongest first: of several the mail says one. */
const SAID: readonly Said[] = ['accepted', 'endorsed', 'promise']

/** What the forum shows each person as new. */
export async function expectBells(db: Database, wishes: Wishes, ids: readonly number[]): Promise<void> {
  for (const [person, id] of ids.entries()) {
    const told = await unseenNotifications(db, id, null)
    const listed = told.flatMap(({ posts }) => posts.map((post) => `${post.kind} ${post.id}`))
    for (const item of wishes.items.filter((one) => one.person === person)) {
      const what = `${nameOf(item)} in what is new to ${person}`
      if (item.post === null || isSaid(item.kind)) {
        const isListed = told.some(({ questionId }) => questionId === wishes.question(item.question ?? -1).id)
        if (item.bell === 'unseen' && wishes.holds(item)) assert.ok(isListed, what)
        continue
      }
      const count = listed.filter((one) => one === `${item.kind} ${item.post?.id}`).length
      if (!wishes.holds(item) || item.bell === 'seen') assert.equal(count, 0, what)
      else if (item.bell === 'unseen') assert.equal(count, 1, what)
      else assert.ok(count <= 1, what)
    }
  }
}

/** What the mails tell that are written now. @returns what is told */
export async function expectMails(
  db: Database,
  wishes: Wishes,
  ids: readonly number[],
): Promise<readonly Item[]> {
  const all: Item[] = []
  await db.deleteFrom('mails').execute()
  await writeMails(db)
  const mails = await db.selectFrom('mails').select(['person_id', 'text', 'html', 'subject']).execute()
  for (const [person, id] of ids.entries()) {
    const own = mails.filter((mail) => mail.person_id === id)
    assert.ok(own.length <= 1, 'one mail for all')
    const { text = '', html = '', subject = '' } = own[0] ?? {}
    if (person !== HIDDEN && !wishes.isStaff(person))
      assert.doesNotMatch(`${subject} ${text} ${html}`, /Zyxhidden/, `who is anonymous, to ${person}`)
    const items = wishes.items.filter((item) => item.person === person)
    const told = new Set([
      ...items.filter((item) => !isSaid(item.kind) && isToldOf(wishes, item, text, html ?? '')),
      ...wishes.questions.keys().flatMap((question) =>
        saidIn(
          wishes,
          items.filter((item) => item.question === question && isSaid(item.kind)),
          sectionOf(text, question),
        ),
      ),
    ])
    wishes.mailed(person, told)
    all.push(...told)
  }
  return all
}

/** Checks how often a mail tells of a post. @returns whether it does */
function isToldOf(wishes: Wishes, item: Item, text: string, html: string): boolean {
  const { post, person } = item
  const what = `${nameOf(item)} in the mail to ${person}`
  if (post === null) return false
  for (const former of post.formerBodies) assert.equal(timesIn(text, former), 0, `a former text: ${what}`)
  const times = timesIn(text, post.body)
  assert.equal(timesIn(html, post.body), times, `${what}, as HTML`)
  const isOwed = item.mail === 'owed' && wishes.isDue(person, item.question)
  if (item.mail === 'settled' || !wishes.isWished(item)) assert.equal(times, 0, what)
  else if (item.mail === 'owed') assert.equal(times, isOwed ? 1 : 0, what)
  else assert.ok(times <= 1, what)
  return times > 0
}

/** Checks what a mail says of a question beside posts. @returns what it tells */
function saidIn(wishes: Wishes, items: readonly Item[], section: string): Item[] {
  const t = translatorOf('en')
  const said = SAID.filter((kind) => section.includes(t(`mailing.${kind}`)))
  const [item] = items.filter(({ kind }) => kind === said[0])
  const owed = items
    .filter((one) => one.mail === 'owed' && wishes.isDue(one.person, one.question) && wishes.isWished(one))
    .map(({ kind }) => kind)
  const what = `${said} of ${items.map(nameOf)} to ${items[0]?.person}: ${owed} owed`
  assert.ok(said.length <= 1, what)
  if (said.length === 0) assert.deepEqual(owed, [], what)
  else assert.ok(item !== undefined && item.mail !== 'settled' && wishes.isWished(item), what)
  for (const kind of owed) assert.ok(SAID.indexOf(kind as Said) >= SAID.indexOf(said[0] ?? 'accepted'), what)
  return item === undefined ? [] : [item]
}

function sectionOf(text: string, question: number): string {
  const [, after = ''] = text.split(`# Topic${question}x\n`)
  return after.split('\n# ')[0] ?? ''
}

/** The first word of a body is in no other. */
function timesIn(text: string, body: string): number {
  return text.split(body.split(' ')[0] ?? body).length - 1
}

function nameOf({ kind, post, question }: Item): string {
  return post === null || isSaid(kind) ? `${kind} of question ${question}` : `${kind} ${post.body}`
}
