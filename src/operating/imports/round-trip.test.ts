import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testDatabase } from '../../testing/database.ts'
import { aDumpAnswer, aDumpQuestion, importDump, importStackExchange } from '../../testing/dumps.ts'
import { aFolder } from '../exchange/course-testing.ts'
import { comesBack } from '../exchange/round-trip-testing.ts'

test('what a Stack Exchange dump brought comes back whole', async (t) => {
  const db = await testDatabase(t)
  const closed = { ClosedDate: '2018-05-01T00:00:00.000' }
  await importDump(t, db, {
    users: [
      { Id: 7, DisplayName: 'Ada' },
      { Id: 8, DisplayName: '김미나' },
    ],
    posts: [
      aDumpQuestion({ Id: 11, AcceptedAnswerId: 12, Tags: '<C#><rest>', Score: -3, ViewCount: 9 }),
      aDumpAnswer({
        Id: 12,
        ParentId: 11,
        OwnerUserId: 8,
        Body: '<p>$x$, see <a href="https://physics.example/q/13"><code>a</code></a></p>',
      }),
      aDumpQuestion({
        Id: 13,
        ...closed,
        Title: 'Long '.repeat(40),
        Body: '<p>See https://physics.example/a/12 and #1</p>',
      }),
      aDumpQuestion({
        Id: 14,
        OwnerUserId: '',
        OwnerDisplayName: 'gone',
        Body: '<p>@[X](person:1) <img src="https://e.org/a.png" alt="x"></p>',
      }),
      aDumpQuestion({ Id: 15, Body: '' }),
    ],
    comments: [
      { Id: 1, PostId: 11, Text: '# no *heading*' },
      { Id: 2, PostId: 12, UserId: 99, Text: 'See https://physics.example/q/11.' },
    ],
    files: {
      'PostLinks.xml':
        '<postlinks><row Id="1" CreationDate="2018-05-01T00:00:00.000" PostId="13" RelatedPostId="11" LinkTypeId="3" /></postlinks>',
    },
  })
  await comesBack(t, db, { slug: 'physics', pictures: await aFolder(t) })
})

const DATA = join(import.meta.dirname, '../../../../shared/data/stackexchange/quantumcomputing')

test('a real dump comes back whole', {
  skip: existsSync(DATA) ? false : `there is no real dump in ${DATA}`,
}, async (t) => {
  const db = await testDatabase(t)
  await importStackExchange(db, { folder: DATA, course: { slug: 'quantum', title: 'Quantum' } })
  await comesBack(t, db, { slug: 'quantum', pictures: await aFolder(t) })
})
