import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { makeEntry } from '../../forum/faq/operations.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { anAnnouncement } from '../../testing/posts.ts'
import { holds } from '../../testing/properties.ts'
import { within } from '../../testing/within.ts'
import { fill, MAX_BODY_LENGTH } from '../../text/markdown/hostile-posts-testing.ts'
import { questionPath } from '../../web/paths.ts'

/** Bytes of an answer for each byte that was posted in it, and those that it has besides. */
const MOST = { times: 20, besides: 64_000 } as const
/** Bytes of a list: its texts, what is beside them, and one post of the longest length more. */
const MOST_OF_LIST = 1_200_000

const acceptOf = (path: string) => ({ accept: path.startsWith('/api') ? 'application/json' : '*/*' })

suite('an answer is never many times as long as what was posted', () => {
  const forum = sharedForum()

  /** A course with people and a question whose name and title are as long as they can be, and longer still in HTML. */
  async function aWorld() {
    const { app, db } = forum
    const course = await aCourse(db)
    const displayName = `${'가'.repeat(25)}${'&'.repeat(25)}`
    const author = await aMember(db, course, 'instructor')
    const mentioned = await aMember(db, course, 'learner', await aPerson(db, { displayName }))
    const title = `${'가'.repeat(80)}${'"'.repeat(70)}`
    const linked = await aQuestion(db, { course, title, body: 'Short.', author })
    const browser = await signedIn(app, author)
    return { app, db, course, author, mentioned, linked, browser }
  }

  const isWithin = async (browser: Browser, path: string, posted: number) => {
    const { statusCode, rawPayload } = await browser.get(path, acceptOf(path))
    assert.equal(statusCode, 200, path)
    const most = MOST.times * posted + MOST.besides
    assert.ok(rawPayload.length <= most, `${path}: ${rawPayload.length} bytes of ${posted}`)
    return rawPayload.length
  }

  test('on its page, in its feed, its preview and its history, and for programs', async () => {
    const { app, db, course, author, mentioned, linked, browser } = await aWorld()
    const growing = [
      ...[`#${linked.id} `, `@[a](person:${mentioned.id}) `, `${app.config.baseUrl}/questions/${linked.id} `],
      ...['a.co ', '$x$ ', '`a` ', '@staff ', '"', '&', '|a', '> ', '- [ ] ', '\n', 'word '],
    ]
    const unit = fc.array(fc.constantFrom(...growing), { minLength: 1, maxLength: 4 })
    async function isBounded(body: string) {
      const question = await aQuestion(db, { course, author, body })
      await anAnswer(db, { question, author, body })
      await aReply(db, { question, author, body: body.slice(0, 5_000) })
      const [one, all] = [Buffer.byteLength(body), 2 * Buffer.byteLength(body) + 5_000]
      const api = `/api/v1/questions/${question.id}`
      for (const [path, posted] of [
        [questionPath(question), all],
        [`${questionPath(question)}?form=answer`, all],
        [`/questions/${question.id}/feed.atom`, one],
        [`/questions/${question.id}/history`, one],
        [`/questions/${question.id}/edit`, one],
        [api, one],
        [`${api}/answers`, one],
        [`${api}/replies`, 5_000],
      ] as const) {
        const shown = path.includes('/feed') || path.startsWith('/api') ? visitor(app) : browser
        await isWithin(shown, path, posted)
      }
      const preview = await browser.post('/preview', { body })
      assert.equal(preview.statusCode, 200)
      assert.ok(preview.rawPayload.length <= MOST.times * one + MOST.besides, body.slice(0, 40))
    }
    for (const part of growing.slice(0, 4)) await isBounded(fill(part).slice(0, MAX_BODY_LENGTH).trim())
    const mixed = fc.asyncProperty(unit, (parts) =>
      isBounded(`x${fill(parts.join(''))}`.slice(0, MAX_BODY_LENGTH)),
    )
    await holds(mixed, 4)
  })

  test('in a list, which ends early and goes on at the next page, and in feeds, which cut the last', async () => {
    const { app, db, course, author, linked } = await aWorld()
    const body = fill(`$x_1$ #${linked.id} `)
    const bodies = Array.from({ length: 12 }, (_, number) => `${number} ${body}`.slice(0, MAX_BODY_LENGTH))
    for (const text of bodies) await aQuestion(db, { course, author, body: text, title: 'A long one' })
    for (const text of bodies.slice(0, 8)) {
      await anAnswer(db, { question: linked, author, body: text })
      await anAnnouncement(db, { courseId: course.id, authorId: author.id, title: 'News', body: text })
      const about = { title: 'Asked', body: text }
      await within(db, makeEntry, { courseId: course.id, about, state: 'shown', position: 1 })
    }
    const lists = { questions: 13, announcements: 8, faq: 8 } as const
    for (const [name, count] of Object.entries(lists))
      assert.equal(await readAll(`/api/v1/courses/${course.slug}/${name}`, count), true, name)
    assert.equal(await readAll(`/api/v1/questions/${linked.id}/answers`, 8), true)
    const feed = await visitor(app).get(`/courses/${course.slug}/feed.atom`)
    assert.ok(feed.rawPayload.length <= 2 * MOST_OF_LIST, `${feed.rawPayload.length} bytes`)
    assert.equal(feed.body.split('<entry>').length - 1, 13 + 8 + 8)

    /** Follows a list to its end. @returns whether it took several pages, each bounded and none empty */
    async function readAll(first: string, count: number): Promise<boolean> {
      const ids: number[] = []
      let pages = 0
      for (
        let path: string | null = `${first}${first.endsWith('faq') ? '' : '?limit=100'}`;
        path !== null;
        pages += 1
      ) {
        const answer = await visitor(app).get(path, acceptOf(path))
        assert.ok(answer.rawPayload.length <= MOST_OF_LIST, `${path}: ${answer.rawPayload.length} bytes`)
        const { items }: { items: readonly { readonly id: number }[] } = answer.json()
        assert.ok(items.length > 0, path)
        ids.push(...items.map(({ id }) => id))
        const next: string | undefined = /<([^>]*)>; rel="next"/.exec(String(answer.headers.link))?.[1]
        path = next === undefined ? null : next.slice(app.config.baseUrl.length)
      }
      assert.deepEqual([ids.length, new Set(ids).size], [count, count], first)
      return pages > 1
    }
  })
})
