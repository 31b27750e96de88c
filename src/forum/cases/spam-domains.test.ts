import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { addBlocked, findBlocklists, replaceBlocklists } from '../blocklists/blocklist.ts'
import { suspend } from './acts-on-people.ts'
import { spamDomains } from './spam-domains.ts'
import { spammer, spammerUndo } from './spammer.ts'

const BASE = 'http://localhost:3000'
let made = 0

suite('domains of a spammer', () => {
  const forum = sharedForum()

  /** Somebody with an address and an answer that links somewhere, in a course. */
  async function aScene(email: string, links: readonly string[]) {
    const { db } = forum
    const course = await aCourse(db)
    const instructor = await aMember(db, course, 'instructor')
    const assistant = await aMember(db, course, 'assistant')
    const question = await aQuestion(db, { course })
    made += 1
    const person = await aPerson(db, { email: email.replace('N', `n${made}`) })
    const author = await aMember(db, course, 'learner', person)
    const body = ['Hello.', ...links.map((link) => `See <${link}>.`)].join('\n\n')
    await anAnswer(db, { question, author, body })
    const key = { personId: author.id, course: course.slug }
    const place = { personId: author.id, courseId: course.id }
    const offered = async () => {
      const found = await spamDomains(db, place, BASE)
      return found.map(({ domain, linking, addressed }) => [domain, linking, addressed]).toSorted()
    }
    const entries = async () => {
      const rows = await rowsOf(db, 'blocklist_entries', { course_id: course.id })
      return rows.map(({ list, entry }) => [list, entry]).toSorted()
    }
    const others = async (count: number, at: { readonly email?: string; readonly link?: string }) => {
      const people = []
      for (let number = 0; number < count; number += 1) {
        made += 1
        const other = await aPerson(db, at.email ? { email: `o${made}@${at.email}` } : {})
        if (at.link) await anAnswer(db, { question, author: other, body: `See <${at.link}>.` })
        people.push(other)
      }
      return people
    }
    const sent = (domain: readonly string[] | string) => ({ sure: '1', domain })
    return { db, course, instructor, assistant, question, author, key, place, offered, entries, others, sent }
  }

  test('are those of links and of the address, with how many others have them, and none that more than two have', async () => {
    const links = ['https://www.casino.example/win?a=1', 'http://pills.example:8080/buy']
    const { offered, others } = await aScene('N@casino.example', [...links, 'https://docs.example/x'])
    await others(2, { link: 'https://shop.pills.example/other' })
    await others(3, { link: 'https://docs.example' })
    await others(1, { email: 'casino.example' })
    const pills = ['pills.example', 2, null]
    assert.deepEqual(await offered(), [['casino.example', 0, 1], pills])
    await others(2, { email: 'casino.example' })
    assert.deepEqual(await offered(), [['casino.example', 0, null], pills])
  })

  test('are none of mail providers, of the forum itself, or of addresses that a provider lets in', async () => {
    const longerThanAnEntry = `https://${'x'.repeat(60)}.example/`
    const links = ['http://localhost:3000/questions', 'https://mail.naver.com/x', longerThanAnEntry]
    const { db, offered, author } = await aScene('N@gmail.com', [...links, 'https://uni.school.example/'])
    assert.deepEqual(await offered(), [['uni.school.example', 0, null]])
    await db
      .insertInto('identity_providers')
      .values({ name: 'school', preset: 'environment', position: 9, allowed_domains: ['school.example'] })
      .execute()
    assert.deepEqual(await offered(), [])
    await setRows(db, 'people', author.id, { email: 'someone@cs.school.example' })
    assert.deepEqual(await offered(), [])
    await setRows(db, 'people', author.id, { email: null, email_confirmed_at: null })
    assert.deepEqual(await offered(), [])
    await db.deleteFrom('identity_providers').execute()
  })

  test('that other spammers have as well can be blocked: who is suspended for good is no one to spare', async () => {
    const { db, instructor, place, offered, others } = await aScene('N@throwaway.example', [])
    const swarm = await others(5, { email: 'throwaway.example' })
    assert.deepEqual(await offered(), [])
    for (const { id: personId } of swarm.slice(0, 3))
      await within(db, suspend, instructor.id, { ...place, personId, until: null, note: '' })
    assert.deepEqual(await offered(), [['throwaway.example', null, 2]])
  })

  test('that are ticked are on the course’s lists, until the undo takes its own entries off', async () => {
    const links = ['https://casino.example/', 'https://known.example/']
    const scene = await aScene('N@pills.example', links)
    const { db, course, instructor, assistant, key, entries, sent } = scene
    await within(db, addBlocked, course.id, 'links', ['known.example'])
    const marking = { actor: assistant, key, input: sent('casino.example') }
    assert.equal(await refusalOf(forum, spammer, marking), 'forbidden')
    await refuses(forum, spammer, { actor: instructor, key }, [
      [sent('other.example'), 'domain: spammer.domain.gone'],
      [sent(['casino.example', 'gmail.com']), 'domain: spammer.domain.gone'],
    ])
    const input = sent(['casino.example', 'pills.example', 'known.example'])
    const done = await act(forum, spammer, { actor: instructor, key, input })
    assert.deepEqual(done, { isDone: true, blocked: 2 })
    const known = ['links', 'known.example']
    const blocked = [['emails', 'pills.example'], ['links', 'casino.example'], known]
    assert.deepEqual(await entries(), blocked)
    await act(forum, spammerUndo, { actor: instructor, key })
    assert.deepEqual(await entries(), [known])
  })

  test('of several spammers stay on the list while one act that chose them stands, and where someone typed them', async () => {
    const scene = await aScene('N@gmail.com', ['https://casino3.example/'])
    const { db, course, instructor, key, entries, others, sent } = scene
    const before = { ...(await findBlocklists(db, course.id)), links: ['casino3.example'] }
    const [other = assert.fail()] = await others(1, { link: 'https://casino3.example/' })
    const second = { ...key, personId: other.id }
    const mark = (at: typeof key) =>
      act(forum, spammer, { actor: instructor, key: at, input: sent('casino3.example') })
    const undo = (at: typeof key) => act(forum, spammerUndo, { actor: instructor, key: at })
    assert.deepEqual(await mark(key), { isDone: true, blocked: 1 })
    assert.deepEqual(await mark(second), { isDone: true, blocked: 0 })
    await undo(key)
    assert.deepEqual(await entries(), [['links', 'casino3.example']])
    await undo(second)
    assert.deepEqual(await entries(), [])
    await mark(key)
    // Their form was open before, without that entry.
    await within(db, replaceBlocklists, course.id, before, before.newest)
    await undo(key)
    assert.deepEqual(await entries(), [['links', 'casino3.example']])
  })

  test('are boxes on the page for who may change the blocklist, not ticked; what was ticked comes back', async () => {
    const scene = await aScene('N@pills.example', ['https://casino2.example/'])
    const { db, course, author, instructor, assistant, entries } = scene
    const path = `/people/${author.id}/spammer`
    const boxes = (body: string) =>
      [...body.matchAll(/name="domain" value="([^"]*)"( checked)?/g)].map(([, ...box]) => box.join(''))
    const at = `${path}?course=${course.slug}`
    assert.deepEqual(boxes((await (await signedIn(forum.app, assistant)).get(at)).body), [])
    const browser = await signedIn(forum.app, instructor)
    const page = (await browser.get(at)).body
    assert.deepEqual(await markupMistakes(page), [])
    assert.deepEqual(boxes(page), ['casino2.example', 'pills.example'])
    assert.match(textOf(page), /casino2\.example Linked to by no one else pills\.example Email domain of/)
    const domain = ['casino2.example', 'pills.example']
    const unsure = await browser.post(path, { course: course.slug, domain: 'pills.example' })
    assert.deepEqual(boxes(unsure.body), ['casino2.example', 'pills.example checked'])
    const done = await browser.post(path, { course: course.slug, domain, sure: '1', back: '/desk' })
    assert.equal(done.statusCode, 303)
    assert.equal((await entries()).length, 2)
    assert.deepEqual(await rowsOf(db, 'blocklist_entries', { course_id: null }), [])
  })
})
