import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aReceiver,
  aWebhook,
  deliver,
  everythingHappens,
  POST_EVENTS,
  passWebhookTime,
} from '../../forum/webhooks/testing.ts'
import { aMember, aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aField, hide, NAME, plantAll } from './canaries-testing.ts'

test('no webhook is told a word of a private question or a hidden or held post, or the name behind an anonymous one, unless it is to be', async (t) => {
  const db = await testDatabase(t)
  const field = await aField(db)
  const { kept, names, hidden, ofStaff, own, never } = await plantAll(field)
  const owner = await aMember(db, field.course, 'instructor')
  const admin = await aPerson(db, { isAdmin: true })
  const unread = [...hidden, ...ofStaff, ...own, ...never]
  const ofCourse = { owner, course_id: field.course.id, types: POST_EVENTS }
  const chat = { owner, course_id: field.course.id, chat: ['new', 'late', 'daily'] }
  const webhooks = [
    { webhook: ofCourse, unentitled: [...unread, ...names, ...kept] },
    { webhook: { ...ofCourse, with_names: true }, unentitled: [...unread, ...kept] },
    { webhook: { ...ofCourse, with_private: true }, unentitled: [...unread, ...names] },
    { webhook: { ...ofCourse, with_names: true, with_private: true }, unentitled: unread },
    { webhook: { owner: admin, types: POST_EVENTS }, unentitled: [...unread, ...names, ...kept] },
    // Of staff who aren't any more.
    {
      webhook: { ...ofCourse, owner: field.former, with_names: true, with_private: true },
      unentitled: [...unread, ...names, ...kept],
    },
    ...(['slack', 'discord', 'teams'] as const).map((kind) => ({
      webhook: { ...chat, kind, with_names: true },
      unentitled: [...unread, ...names, ...kept],
    })),
  ]
  const told = await Promise.all(
    webhooks.map(async ({ webhook, unentitled }) => {
      const receiver = await aReceiver(t)
      receiver.answer = (reply) => reply.writeHead(500).end()
      await aWebhook(db, { url: receiver.url, ...webhook })
      return { receiver, unentitled, name: JSON.stringify({ ...webhook, types: undefined }) }
    }),
  )
  const openTold = ['zyxquarkkepttitle', 'zyxquarkkeptanswer', 'zyxquarkkeptreply', NAME]

  // While all of it is open it is told, here to one that doesn't take it and is to be told again.
  const open = await aReceiver(t)
  await aWebhook(db, { url: open.url, ...ofCourse })
  await everythingHappens(db, 'course')
  await deliver(db)
  const text = open.received.map(({ body }) => body).join('\n')
  for (const word of openTold) assert.ok(text.includes(word), `${word} is told while it is open`)

  await hide(field)
  await everythingHappens(db, 'course')
  await everythingHappens(db, 'staff')
  for (const { receiver } of told) {
    receiver.received.length = 0
    receiver.answer = (reply) => reply.writeHead(204).end()
  }
  for (let round = 0; round < 3; round += 1) {
    await passWebhookTime(db, '10 minutes')
    await deliver(db)
  }
  const leaks = told.flatMap(({ receiver, unentitled, name }) => {
    const all = JSON.stringify(receiver.received)
    return unentitled.filter((word) => all.includes(word)).map((word) => `${name}: ${word}`)
  })
  assert.deepEqual(leaks, [])
  const [bare, named, withPrivate] = told.map(({ receiver }) => JSON.stringify(receiver.received))
  assert.ok(bare?.includes('Anonymous 1') && named?.includes(NAME), 'anonymous posts are told')
  for (const word of ['zyxquarkkepttitle', 'zyxquarkkeptanswer', 'zyxquarkkeptreply'])
    assert.ok(withPrivate?.includes(word), `${word} is told to one for private posts`)
})
