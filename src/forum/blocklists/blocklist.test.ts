import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Careful } from '../../kernel/operation.ts'
import { act } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import {
  aCourse,
  aMember,
  aNewcomer,
  anAnswer,
  aPerson,
  aQuestion,
  type MadePerson,
} from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { postAnswer } from '../answers/operations.ts'
import { TEXT_EDITS } from '../posts/text-edit.ts'
import { askQuestion } from '../questions/operations.ts'
import { replyToQuestion } from '../replies/operations.ts'
import { addBlocked, ENTRIES, findBlocklists, type List, removeBlocked } from './blocklist.ts'

const CAREFUL = { sendsMail: false }

suite('posts of strangers that are on a blocklist', () => {
  const forum = sharedForum({ careful: CAREFUL })

  async function aScene() {
    const { db } = forum
    await db.deleteFrom('blocklist_entries').execute()
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const aStranger = (email?: string) => aNewcomer(db, email === undefined ? {} : { email })
    const block = (courseId: number | null, list: List, ...entries: string[]) =>
      within(db, addBlocked, courseId, list, entries)
    const heldFor = async (actor: MadePerson, body: string, careful: Careful = CAREFUL) => {
      const { id } = await act(forum, postAnswer, { actor, key: question.id, input: { body }, careful })
      return (await rowOf(db, 'answers', id)).held_for
    }
    return { db, course, question, aStranger, block, heldFor }
  }

  test('wait: of the course also in a relaxed forum, of the forum where it is careful', async () => {
    const { course, aStranger, block, heldFor } = await aScene()
    await block(course.id, 'words', 'essay service')
    await block(course.id, 'links', 'essays.example')
    await block(course.id, 'emails', 'essays.example')
    await block(null, 'words', 'casino*')
    await block(null, 'links', 'casino.example')
    await block(null, 'emails', 'gambler*@example.com')
    /** Held in a careful forum, and in a relaxed one. */
    const tries: readonly (readonly [email: string | undefined, body: string, ...(string | null)[]])[] = [
      [undefined, 'The best **essay** service.', 'words', 'words'],
      [undefined, 'Look at [this](https://www.essays.example/now).', 'links', 'links'],
      ['ann@mail.essays.example', 'Hello there.', 'address', 'address'],
      [undefined, 'All casinos of the world.', 'words', null],
      [undefined, 'Look at https://casino.example/.', 'links', null],
      ['gambler@example.com', 'Hello there.', 'address', null],
      [undefined, 'An essay, and its service.', null, null],
      [undefined, 'Code: `casino` and\n\n```\nessay service https://casino.example\n```', null, null],
      ['ann@notessays.example', 'Look at https://notcasino.example/.', null, null],
    ]
    for (const [at, [email, body, ...expected]] of tries.entries()) {
      const found = []
      for (const how of [CAREFUL, null]) {
        const stranger = await aStranger(email?.replace('@', `${at}${found.length}@`))
        found.push(await heldFor(stranger, body, how))
      }
      assert.deepEqual(found, expected, body)
    }
  })

  test('of other courses and by others than strangers don’t', async () => {
    const { db, course, aStranger, block, heldFor } = await aScene()
    await block((await aCourse(db)).id, 'words', 'casino')
    assert.equal(await heldFor(await aStranger(), 'A casino.'), null)
    await block(course.id, 'words', 'casino')
    for (const role of ['assistant', 'learner'] as const)
      assert.equal(await heldFor(await aMember(db, course, role, await aStranger()), 'A casino.'), null)
    assert.equal(await heldFor(await aPerson(db), 'A casino.'), null)
    assert.equal(await heldFor(await aStranger(), 'A casino.'), 'words')
    await setRows(db, 'courses', course.id, { hold: 'none' })
    assert.equal(await heldFor(await aStranger(), 'A casino.'), null)
    await setRows(db, 'courses', course.id, { hold: 'newcomers' })
    assert.equal(await heldFor(await aStranger(), 'A casino.'), 'newcomers')
  })

  test('are questions, by title and tags, answers and replies; the author isn’t told by which entry', async () => {
    const { db, course, question, aStranger, block } = await aScene()
    await block(course.id, 'words', 'casino')
    const author = await aStranger()
    const ask = async (title: string, tags: string) => {
      const input = { title, tags, body: 'Where is it?' }
      const { id } = await act(forum, askQuestion, { actor: author, key: course.slug, input })
      return { id, heldFor: (await rowOf(db, 'questions', id)).held_for }
    }
    assert.equal((await ask('The ＣＡＳＩＮＯ?', '')).heldFor, 'words')
    assert.equal((await ask('The theatre?', 'casino')).heldFor, 'words')
    const { id, heldFor } = await ask('The ca\u200Bsino?', '')
    assert.equal(heldFor, 'words')
    const replying = { actor: author, key: question.id, input: { body: 'To the casino.' } }
    const reply = await act(forum, replyToQuestion, replying)
    assert.equal((await rowOf(db, 'replies', reply.id)).held_for, 'words')
    const browser = await signedIn(forum.app, author)
    const path = String((await browser.get(`/questions/${id}`)).headers.location)
    assert.match(textOf((await browser.get(path)).body), /because of words in it. A person will decide/)
  })

  test('are looked at again when their author edits them, in a relaxed forum too', async () => {
    const { db, course, question, aStranger, block } = await aScene()
    await block(course.id, 'links', 'casino.example')
    const stranger = await aStranger()
    const harmless = { actor: stranger, key: question.id, input: { body: 'Harmless.' } }
    const { id } = await act(forum, postAnswer, harmless)
    assert.equal((await rowOf(db, 'answers', id)).held_for, null)
    const input = { body: 'See https://casino.example/x', version: 1 }
    await act(forum, TEXT_EDITS.answers, { actor: stranger, key: id, input })
    const { held_for, is_shown } = await rowOf(db, 'answers', id)
    assert.deepEqual([held_for, is_shown], ['links', false])
    const author = await aPerson(db)
    const others = await anAnswer(db, { question, author })
    await act(forum, TEXT_EDITS.answers, { actor: author, key: others.id, input })
    assert.equal((await rowOf(db, 'answers', others.id)).held_for, null)
  })

  test('entries are added once each, as far as there is room, and taken off by what was added', async () => {
    const { db, course, block } = await aScene()
    const links = ['https://casino.example/x', 'casino.example', 'no domain']
    assert.equal((await block(course.id, 'links', ...links)).length, 1)
    assert.deepEqual(await block(course.id, 'links', 'CASINO.example'), [])
    assert.equal((await block(null, 'links', 'casino.example')).length, 1)
    assert.deepEqual(await block(course.id, 'words', 'x'.repeat(65), '\uFDFA'.repeat(20), '*', 'a*'), [])
    const many = Array.from({ length: ENTRIES.most + 5 }, (_, at) => `word${at}`)
    const added = await block(course.id, 'words', ...many.slice(0, 3), ...many)
    assert.equal(added.length, ENTRIES.most)
    assert.deepEqual(await block(course.id, 'words', 'more'), [])
    await within(db, removeBlocked, added)
    const { words, links: domains, emails } = await findBlocklists(db, course.id)
    assert.deepEqual([words, domains, emails], [[], ['casino.example'], []])
  })

  test('added twice at once, an entry is there once', async () => {
    const { db, course, block } = await aScene()
    const added = await Promise.all([1, 2, 3].map(() => block(course.id, 'words', 'casino', 'Casino')))
    assert.equal(added.flat().length, 1)
    assert.deepEqual((await findBlocklists(db, course.id)).words, ['casino'])
  })
})
