import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { importedAddresses } from '../../accounts/address/imported-address.ts'
import { finishDepartures } from '../../accounts/deletion/departure.ts'
import { inSession, mailToken } from '../../accounts/testing.ts'
import { sweepTable } from '../../database/terms.ts'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  anUnclaimedPerson,
  aPerson,
  aQuestion,
  aReply,
  asImported,
  type MadePerson,
} from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { accountMerge, mergeUndo } from '../merging/operations.ts'
import { fingerprint } from '../merging/testing.ts'
import { unnameIn } from '../people/unname.ts'
import { hideCourse } from '../purging/course-deletion.ts'
import { purgePostsOf } from '../purging/leavers-posts.ts'
import { postsClaim, postsRefusal, postsRelease } from './operations.ts'

const OPERATIONS = { mine: postsClaim, nameless: postsRelease, 'not-mine': postsRefusal }

suite('posts that an import brought under the address of an account', () => {
  const forum = sharedForum()
  let made = 0

  /** An account, and somebody of an import with its address, who asked in a closed course. */
  async function anOffer({ isConfirmed = true, name = '' } = {}) {
    const { db } = forum
    made += 1
    const course = await aCourse(db, { title: `Databases ${made}`, isPublic: false })
    const owner = await aPerson(db, { email: `owner-${made}@example.org`, isConfirmed })
    const displayName = name || `Mina of Ed ${made}`
    const unclaimed = await anUnclaimedPerson(db, course, { displayName, email: owner.email })
    const question = await aQuestion(db, { course, author: unclaimed, title: `Which index ${made}?` })
    await asImported(db, unclaimed)
    return { course, owner, unclaimed, question }
  }

  async function decide(
    decision: keyof typeof OPERATIONS,
    owner: Pick<MadePerson, 'id'>,
    { id: unclaimedId }: Pick<MadePerson, 'id'>,
  ) {
    const { actor, key } = await inSession(forum.db, owner)
    const doing = { actor, key: { ...key, unclaimedId }, input: { decision } }
    return refusalOf(forum, OPERATIONS[decision], doing)
  }

  const pageOf = async (person: MadePerson) => (await signedIn(forum.app, person)).get('/settings/claims')
  const offered = async (person: MadePerson) =>
    /Are these posts yours\?/.test(textOf((await pageOf(person)).body))

  test('are listed with the titles that their author could read, to nobody else', async () => {
    const { db } = forum
    const { course, owner, unclaimed } = await anOffer()
    const own = { course, author: unclaimed }
    await aQuestion(db, { ...own, title: 'My anonymous one', isAnonymous: true })
    await aQuestion(db, { ...own, title: 'My private one', audience: 'staff' })
    const held = await aQuestion(db, { ...own, title: 'My held one' })
    await setRows(db, 'questions', held.id, { held_at: new Date(), held_for: 'source' })
    const gone = await aQuestion(db, { ...own, title: 'My deleted one' })
    await within(db, deleteQuestion, gone.id)
    const unseen = await aQuestion(db, { ...own, title: 'One of a run' })
    await setRows(db, 'questions', unseen.id, { held_at: new Date(), held_for: 'import' })
    const theirs = await aQuestion(db, { course, title: 'The private one of another' })
    await anAnswer(db, { question: theirs, author: unclaimed })
    await setRows(db, 'questions', theirs.id, { audience: 'staff' })
    await asImported(db, unclaimed)
    const { statusCode, body } = await pageOf(owner)
    assert.equal(statusCode, 200)
    const text = textOf(body)
    assert.match(text, new RegExp(`${unclaimed.displayName} ${course.title} Imported from Ed 4 posts`))
    for (const title of ['My anonymous one', 'My private one', 'My held one', 'Which index'])
      assert.match(text, new RegExp(title))
    assert.doesNotMatch(text, /My deleted one|One of a run|private one of another/)
    const browser = await signedIn(forum.app, owner)
    const profile = `/people/${owner.id}/${owner.displayName.toLowerCase().replace(' ', '-')}`
    for (const path of ['/settings', profile])
      assert.match((await browser.get(path)).body, /href="\/settings\/claims"/, path)
    assert.equal(await offered(await aPerson(db)), false)
  })

  test('are offered once the address is confirmed, and not while their course is deleted', async () => {
    const { db } = forum
    const { owner, unclaimed, course } = await anOffer({ isConfirmed: false })
    assert.equal(await offered(owner), false)
    assert.equal(await decide('mine', owner, unclaimed), 'notFound')
    const browser = await signedIn(forum.app, owner)
    const token = await mailToken(db, owner, 'confirm-email')
    const confirmed = await browser.follow(await browser.post('/confirm-email', { token }))
    assert.match(textOf(confirmed.body), /An import brought posts under this address\./)
    assert.equal(await offered(owner), true)
    await within(db, hideCourse, course.id)
    assert.equal(await offered(owner), false)
    assert.equal(await decide('mine', owner, unclaimed), 'notFound')
  })

  test('become the account’s with its course, and go back with every row as it was', async () => {
    const { db } = forum
    const { course, owner, unclaimed, question } = await anOffer()
    const reader = await aQuestion(db, { course })
    await aReply(db, { question: reader, author: unclaimed, isAnonymous: true })
    await asImported(db, unclaimed)
    const before = await fingerprint(db)
    assert.equal(await decide('mine', owner, unclaimed), 'done')
    assert.equal((await rowOf(db, 'questions', question.id)).author_id, owner.id)
    const role = { course_id: course.id, person_id: owner.id }
    assert.equal((await rowOf(db, 'course_members', role)).role, 'learner')
    await rowOf(db, 'question_follows', { question_id: question.id, person_id: owner.id })
    assert.deepEqual(await rowsOf(db, 'imported_addresses', { person_id: unclaimed.id }), [])
    const text = textOf((await pageOf(owner)).body)
    assert.match(text, new RegExp(`Imported as ${unclaimed.displayName} Can be undone until`))
    assert.equal(await decide('mine', owner, unclaimed), 'notFound', 'twice')

    assert.equal(await decide('not-mine', owner, unclaimed), 'done')
    const { imported_addresses: kept, ...rest } = before
    const { imported_addresses: left, ...after } = await fingerprint(db)
    assert.deepEqual(after, rest)
    assert.equal(left?.length, (kept?.length ?? 0) - 1, 'the address is gone for good')
    assert.equal(await offered(owner), false)
  })

  test('leave a role that the account had, when a claim is undone', async () => {
    const { db } = forum
    const { course, owner, unclaimed } = await anOffer()
    await aMember(db, course, 'assistant', owner)
    assert.equal(await decide('mine', owner, unclaimed), 'done')
    assert.equal(await decide('not-mine', owner, unclaimed), 'done')
    const role = { course_id: course.id, person_id: owner.id }
    assert.equal((await rowOf(db, 'course_members', role)).role, 'assistant')
  })

  for (const isClaimed of [false, true])
    test(`stay without the name, ${isClaimed ? 'once claimed' : 'and lead to no account'}`, async () => {
      const { db } = forum
      const name = `Quirin ${isClaimed}`
      const { course, owner, unclaimed, question } = await anOffer({ name })
      const held = await aQuestion(db, { course, author: unclaimed, title: 'It waits' })
      await setRows(db, 'questions', held.id, { held_at: new Date(), held_for: 'source' })
      const mention = `As @[${name}](person:${unclaimed.id}) says.`
      const answer = await anAnswer(db, { question, body: mention })
      await db
        .insertInto('mentions')
        .values({ person_id: unclaimed.id, answer_id: answer.id, mentioned_at: new Date() })
        .execute()
      if (isClaimed) assert.equal(await decide('mine', owner, unclaimed), 'done')
      const entries = (await rowsOf(db, 'audit', { actor_id: owner.id })).length
      assert.equal(await decide('nameless', owner, unclaimed), 'done')
      const posts = { purge: purgePostsOf, unname: unnameIn, sweepPictures: async () => undefined }
      await finishDepartures(db, posts)
      for (const { id } of [question, held]) {
        const { author_id, deleted_at } = await rowOf(db, 'questions', id)
        assert.deepEqual([author_id, deleted_at], [unclaimed.id, null])
      }
      assert.equal((await rowOf(db, 'people', unclaimed.id)).display_name, 'Former member')
      const { body } = await rowOf(db, 'answers', answer.id)
      assert.equal(body, `As @[Former member](person:${unclaimed.id}) says.`)
      assert.deepEqual(await rowsOf(db, 'account_merges', { from_id: unclaimed.id }), [])
      assert.deepEqual(await rowsOf(db, 'imported_addresses', { person_id: unclaimed.id }), [])
      // An entry would lead from the posts to the account: there is one of the claim that is undone, if any.
      assert.equal((await rowsOf(db, 'audit', { actor_id: owner.id })).length, entries + (isClaimed ? 1 : 0))
      assert.equal(await offered(owner), false)
    })

  test('of somebody else stay as they are, and are not offered again', async () => {
    const { db } = forum
    const { owner, unclaimed, question } = await anOffer()
    const stranger = await aPerson(db)
    for (const decision of ['mine', 'nameless', 'not-mine'] as const)
      assert.equal(await decide(decision, stranger, unclaimed), 'notFound', decision)
    const before = await fingerprint(db)
    assert.equal(await decide('not-mine', owner, unclaimed), 'done')
    assert.equal(await decide('mine', owner, unclaimed), 'notFound')
    assert.equal((await rowOf(db, 'questions', question.id)).author_id, unclaimed.id)
    const after = await fingerprint(db)
    for (const table of ['people', 'questions', 'imported_people'])
      assert.deepEqual(after[table], before[table], table)
  })

  test('are decided about on the page, which asks again where nothing is chosen', async () => {
    const { owner, unclaimed } = await anOffer()
    const browser = await signedIn(forum.app, owner)
    const path = `/settings/claims/${unclaimed.id}`
    const refused = await browser.post(path, {})
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /There is a problem Choose whether these posts are yours\./)
    const claimed = await browser.post(path, { decision: 'mine' })
    assert.equal(claimed.headers.location, '/settings/claims')
    assert.match(textOf((await browser.follow(claimed)).body), /The posts are yours\./)
    const undone = await browser.post(path, { decision: 'not-mine' })
    assert.match(textOf((await browser.follow(undone)).body), /Saved\. .*No earlier posts/)
    assert.equal((await browser.post(path, { decision: 'mine' })).statusCode, 404)
  })

  test('are not offered while an admin’s merge of the name holds, and are again once it is undone', async () => {
    const { db } = forum
    const { owner, unclaimed } = await anOffer()
    const [admin, into] = [await aPerson(db, { isAdmin: true }), await aPerson(db)]
    const key = { into: String(into.id), from: String(unclaimed.id) }
    await act(forum, accountMerge, { actor: admin, key, input: { ...key, sure: '1' } })
    assert.equal(await offered(owner), false)
    await act(forum, mergeUndo, { actor: admin, key, input: key })
    assert.equal(await offered(owner), true)
  })

  test('are no longer offered after two years', async () => {
    const { db } = forum
    const { owner, unclaimed } = await anOffer()
    const kept = { person_id: unclaimed.id }
    await setRows(db, 'imported_addresses', kept, { given_at: sql`now() - interval '23 months'` })
    await sweepTable(db, importedAddresses)
    assert.equal(await offered(owner), true)
    await setRows(db, 'imported_addresses', kept, { given_at: sql`now() - interval '25 months'` })
    await sweepTable(db, importedAddresses)
    assert.equal(await offered(owner), false)
  })
})
