import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SealedName } from '../authors/sealed-name.ts'
import { composeNews, newsText } from './compose.ts'
import type { News } from './contents.ts'
import { renderedListMail } from './list-mail.ts'
import { MAILING } from './testing.ts'

const READER = {
  ...{ id: 1, email: 'a@example.org', isAdmin: false, owesSecondFactor: false },
  language: 'en',
  timeZone: null,
} as const
const NAME = { sealed: 'Mara' } as unknown as SealedName

/** A question with an answer whose HTML has so many characters. */
function newsWith(id: number, length: number): News {
  const at = new Date('2026-11-23T12:00:00Z')
  return {
    ...{ mail: 1, id, reason: 'answered', happenedAt: at, since: at, isSeen: false, questionId: id },
    ...{
      announcementId: null,
      told: null,
      together: [],
      togetherCount: 0,
      title: `Question ${id}`,
      waitingCount: null,
    },
    ...{ courseId: 1, courseTitle: 'REST', courseSlug: 'rest', courseLanguage: 'en' },
    ...{ timeZone: 'UTC', role: null, said: null },
    posts: [
      {
        ...{ kind: 'answer', id, reason: 'answered', body: 'a', html: 'a'.repeat(length) },
        ...{ writtenAt: at.toISOString(), author_id: 2, author_name: NAME, author_role: null },
        is_anonymous: false,
      },
    ],
  }
}

function mailOf(news: readonly News[]) {
  const mail = composeNews(READER, news, MAILING, false)
  return renderedListMail(READER, mail, { view: '/mailing/news', text: newsText(mail) })
}

test('a mail has a bounded length, and says how much more there is', () => {
  const long = mailOf(Array.from({ length: 40 }, (_, index) => newsWith(index + 1, 100_000)))
  assert.ok(long.html.length < 1_500_000)
  assert.match(long.text, /# Question 10\n/)
  assert.doesNotMatch(long.text, /# Question 11\n/)
  for (const part of [long.text, long.html]) {
    assert.match(part, /30 more in your notifications/)
    assert.ok(part.includes('https://forum.example/notifications'))
  }
  assert.equal(long.subject, 'Activity in 40 questions')
  assert.doesNotMatch(mailOf([newsWith(1, 2_000_000)]).text, /more in your notifications/)
})
