import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { refreshStatistics } from '../../forum/search/statistics.ts'
import { testAppThatHears } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { addressesIn, aField, answersByMail, HELD, HIDDEN, hide, plantAll, TAG } from './canaries-testing.ts'
import { aReader, everyRequest, type Reader, wordsIn } from './sweep-testing.ts'

/** Somebody, and the words that they must find nowhere. */
interface Seeker {
  readonly reader: Reader
  readonly unentitled: readonly string[]
}

test('nobody finds a word of a private question or a hidden post, or the name behind an anonymous one, who may not know it', async (t) => {
  const db = await testDatabase(t)
  const lines: string[] = []
  const log = { write: (line: string) => void lines.push(line) }
  const { app, changes } = await testAppThatHears(t, db, { logLevel: 'trace' }, log)
  // Each reader asks for every page several times, as nobody does within a minute.
  app.renderLimit.count = () => {}
  const field = await aField(db)
  const { kept, names, hidden, ofStaff, own, never, cases } = await plantAll(field)
  const open = [...kept, ...names, ...hidden]
  const words = [...open, ...ofStaff]
  const unread = [...own, ...never]
  const every = [...words, ...unread]
  await refreshStatistics(db)
  await changes.caughtUp()

  const elsewhere = await aMember(db, await aCourse(db), 'instructor')
  const seekers: Seeker[] = [
    { reader: await aReader('visitor', visitor(app)), unentitled: every },
    { reader: await aReader('outsider', await signedIn(app, await aPerson(db))), unentitled: every },
    { reader: await aReader('instructor elsewhere', await signedIn(app, elsewhere)), unentitled: every },
    { reader: await aReader('former staff', await signedIn(app, field.former)), unentitled: every },
    { reader: await aReader('classmate', await signedIn(app, field.classmate)), unentitled: every },
    {
      reader: await aReader('asker', await signedIn(app, field.asker)),
      unentitled: [...names, ...hidden, ...ofStaff, ...unread],
    },
  ]
  const entitled = [
    { reader: await aReader('staff', await signedIn(app, field.staff)), found: words },
    {
      reader: await aReader('admin', await signedIn(app, await aPerson(db, { isAdmin: true }))),
      found: words,
    },
    { reader: await aReader('asker', await signedIn(app, field.asker)), found: kept },
    { reader: await aReader('author', await signedIn(app, field.hiddenAuthor)), found: [...hidden, ...own] },
  ]
  const requests = [
    ...everyRequest(app, await addressesIn(field)),
    ...cases.map((url) => ({ method: 'GET', url, fields: {} })),
  ]
  const pages = requests.filter(({ method }) => method === 'GET')
  assert.ok(pages.length > 100, `${pages.length} addresses`)
  const sought = async ({ reader }: { readonly reader: Reader }) => {
    const seen = new Set<string>()
    for (const page of pages) for (const word of await wordsIn(reader, page, every)) seen.add(word)
    return [...seen].sort()
  }

  // While all of it is open it is there to be found, and pages are kept: twice, as some are kept only then.
  for (const seeker of [...seekers, ...seekers])
    await t.test(`while it is open, ${seeker.reader.name} finds it`, async () => {
      // Still of the staff.
      const found = seeker.reader.name === 'former staff' ? words : open
      assert.deepEqual(await sought(seeker), found.toSorted())
    })
  await hide(field)
  assert.deepEqual(await answersByMail(field), ['posted', 'refused'])
  await changes.caughtUp()
  lines.length = 0

  for (const { reader, found } of entitled)
    await t.test(`${reader.name} reads what is theirs to read, and nothing of other accounts`, async () => {
      const seen = await sought({ reader })
      // The download of one's own data has the subject.
      const withheld = reader.name === 'author' ? [] : unread
      const [missing, told] = [
        found.filter((word) => !seen.includes(word)),
        withheld.filter((word) => seen.includes(word)),
      ]
      assert.deepEqual({ missing, told }, { missing: [], told: [] })
    })
  for (const { reader, unentitled } of seekers)
    await t.test(`${reader.name} finds nothing`, async () => {
      const leaks: string[] = []
      // The asker would open the question, and ends their account: only others send every form.
      for (const request of reader.name === 'asker' ? pages : requests) {
        // Nobody sends every form there is within an hour.
        if (request.method !== 'GET') await sql`delete from tries`.execute(db)
        const told = await wordsIn(reader, request, unentitled)
        if (told.length > 0) leaks.push(`${request.method} ${request.url}: ${told.join(', ')}`)
      }
      assert.deepEqual(leaks, [])
    })
  const leaks: string[] = []
  const mails = JSON.stringify(await db.selectFrom('mails').selectAll().execute())
  leaks.push(...every.filter((word) => mails.includes(word)).map((word) => `a mail: ${word}`))
  // A tag is part of the address that seekers asked for.
  for (const line of lines)
    leaks.push(
      ...every
        .filter((word) => ![TAG, `${HIDDEN}tag`, `${HELD}tag`].includes(word) && line.includes(word))
        .map((word) => `${word} in ${line}`),
    )
  assert.deepEqual(leaks, [])
})
