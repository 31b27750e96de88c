import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../testing/database.ts'
import { aDumpAnswer, aDumpQuestion, importDump } from '../../testing/dumps.ts'
import { rowsOf, valuesOf } from '../../testing/rows.ts'
import { hostsOf, ownPost } from './dump-links.ts'
import { withLinks } from './foreign-markdown.ts'

test('the hosts of a site are told by its folder', () => {
  assert.deepEqual(hostsOf('quantumcomputing'), ['quantumcomputing.stackexchange.com'])
  assert.deepEqual(hostsOf('bicycles-meta'), [
    'bicycles.meta.stackexchange.com',
    'meta.bicycles.stackexchange.com',
  ])
  assert.deepEqual(hostsOf('stackoverflow'), ['stackoverflow.com'])
  assert.deepEqual(hostsOf('forum.example.org'), ['forum.example.org'])
  assert.deepEqual(hostsOf('My folder'), [])
})

const LINKS: readonly [what: string, markdown: string, linked: string][] = [
  ['a link to a question', '[a](https://e.org/questions/1/slug)', '[a](exchange:question/1)'],
  [
    'a link to an answer',
    '[a](http://e.org/a/2/7 "t") [b](https://e.org/questions/1/s/2#2)',
    '[a](exchange:answer/2 "t") [b](exchange:answer/2)',
  ],
  ['a bare address', 'See https://e.org/q/1.', 'See [#1](exchange:question/1).'],
  ['an address in angle brackets', '<https://e.org/questions/1>', '[#1](exchange:question/1)'],
  [
    'what the dump hasn’t',
    '[a](https://e.org/questions/9/x) https://e.org/tags',
    '[a](https://e.org/questions/9/x) https://e.org/tags',
  ],
  ['another site', '[a](https://other.org/questions/1)', '[a](https://other.org/questions/1)'],
  ['a link with code in its words', '[`a`](https://e.org/q/1)', '[`a`](exchange:question/1)'],
  ['an address below the text', '[a][1]\n\n[1]: https://e.org/q/1', '[a][1]\n\n[1]: exchange:question/1'],
  [
    'an address as the words of its link',
    '[https://e.org/q/1](https://e.org/q/1)',
    '[https://e.org/q/1](exchange:question/1)',
  ],
  ['code', '`https://e.org/q/1`', '`https://e.org/q/1`'],
]

for (const [what, markdown, linked] of LINKS) {
  test(`${what} leads to what the dump has, and elsewhere as before`, () => {
    const kindOf = (id: number) => (id === 1 ? 'question' : id === 2 ? 'answer' : null)
    const shown = withLinks(markdown, (address) => ownPost(address, ['e.org'], kindOf) ?? address)
    assert.equal(shown, linked)
  })
}

test('duplicates, closings and links between posts come along, and numbers in texts lead nowhere', async (t) => {
  const db = await testDatabase(t)
  const closed = { ClosedDate: '2018-05-01T00:00:00.000' }
  await importDump(t, db, {
    posts: [
      aDumpQuestion({ Id: 11, ...closed }),
      aDumpQuestion({
        Id: 12,
        ...closed,
        Body: '<p>See <a href="https://physics.example/a/14">it</a> and #1</p>',
      }),
      aDumpQuestion({ Id: 13 }),
      aDumpAnswer({ Id: 14, ParentId: 13 }),
      // Each says that the other answers it.
      aDumpQuestion({ Id: 15 }),
      aDumpQuestion({ Id: 16 }),
    ],
    history: [{ Id: 1, PostHistoryTypeId: 10, PostId: 12, Comment: '103' }],
    files: {
      'PostLinks.xml': `<postlinks>${[
        [11, 13],
        [15, 16],
        [16, 15],
        [13, 99],
      ]
        .map(
          ([from, to], index) =>
            `<row Id="${index}" PostId="${from}" RelatedPostId="${to}" LinkTypeId="3" />`,
        )
        .join('')}</postlinks>`,
    },
  })
  const questions = await rowsOf(db, 'questions', {})
  const [duplicate, unclear, original] = questions
  const [answer] = await rowsOf(db, 'answers', {})
  assert.deepEqual(valuesOf(questions, 'duplicate_of'), [original?.id, null, null, null, null])
  assert.deepEqual([duplicate?.closing_reason, unclear?.closing_reason], [null, 'unclear'])
  assert.equal(unclear?.body, `See [it](/questions/${original?.id}#answer-${answer?.id}) and \\#1`)
  assert.deepEqual(unclear?.answers_closed_at, new Date('2018-05-01T00:00:00.000Z'))
})
