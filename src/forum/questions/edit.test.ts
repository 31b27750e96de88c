import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { rowOf } from '../../testing/rows.ts'
import { HISTORIES } from '../history/versions.ts'
import type { PostTable } from '../posts/kinds.ts'
import { postsOfEachKind } from '../posts/testing.ts'

suite('editing', () => {
  const forum = sharedForum()
  const fields = { title: 'The new title', body: 'new words', tags: 'stays, new', lecture: '2', version: 1 }
  const kept = async (table: PostTable, id: number) => {
    const { body, version } = await rowOf(forum.db, table, id)
    return { body, version }
  }

  test('each form shows what is there, and saving it changes page and counters', async () => {
    const { author, question, posts } = await postsOfEachKind(forum)
    const browser = await signedIn(forum.app, author)
    for (const { form } of posts) {
      const shown = await browser.get(form)
      assert.equal(shown.statusCode, 200)
      assert.equal(valueIn(shown.body, 'body'), 'old words')
      const saved = await browser.post(form, fields, { page: form })
      assert.equal(saved.statusCode, 303)
      assert.match(String(saved.headers.location), new RegExp(`^/questions/${question.id}/the-new-title`))
    }
    const text = textOf((await visitor(forum.app).get(`/questions/${question.id}/the-new-title`)).body)
    assert.equal(text.match(/new words/g)?.length, 3)
    assert.equal(text.match(/ edited /g)?.length, 3)
    assert.match(text, /stays new/)
    assert.match(text, /Lecture 2 · Two/)
    assert.doesNotMatch(text, /old/)
    assert.deepEqual(await recount(forum.db), [])
  })

  test('two at once: the second gets 409 with both texts, and saving again is meant to win', async () => {
    const { author, staff, posts } = await postsOfEachKind(forum)
    const second = await signedIn(forum.app, staff)
    for (const { table, key, edit, form } of posts) {
      await act(forum, edit, { actor: author, key, input: { ...fields, body: 'first was quicker' } })
      const mine = { ...fields, title: 'My other title', body: 'mine, \n\nof <b>two</b> lines' }
      const conflict = await second.post(form, mine)
      assert.equal(conflict.statusCode, 409)
      const text = textOf(conflict.body)
      assert.match(text, /first was quicker/)
      assert.match(text, /Someone else edited this while you were writing/)
      assert.equal(valueIn(conflict.body, 'body'), mine.body)
      if (table === 'questions') {
        assert.equal(valueIn(conflict.body, 'title'), mine.title)
        assert.match(text, /The new title/)
      }
      const version = Number(valueIn(conflict.body, 'version'))
      assert.equal(version, 2)
      assert.equal((await second.post(form, { ...mine, version })).statusCode, 303)
      assert.deepEqual(await kept(table, key), { body: mine.body, version: 3 })
    }
  })

  test('the same form twice, as by a double click, is no conflict', async () => {
    const { author: actor, posts } = await postsOfEachKind(forum)
    for (const { key, edit } of posts) {
      const edits = [1, 2, 3].map(() => refusalOf(forum, edit, { actor, key, input: fields }))
      assert.deepEqual(await Promise.all(edits), ['done', 'done', 'done'])
    }
  })

  test('a form that changes nothing makes no version and no mark, says so, and ends its draft', async () => {
    const { author, staff, posts } = await postsOfEachKind(forum)
    const browser = await signedIn(forum.app, author)
    const json = { headers: { accept: 'application/json' } }
    for (const { table, key, edit, form: place } of posts) {
      const form = (await browser.get(place)).body
      const names = [...(table === 'questions' ? ['title', 'tags', 'lecture'] : []), 'body', 'version']
      const shown = Object.fromEntries(names.map((name) => [name, valueIn(form, name) ?? '']))
      await browser.post('/drafts', { place, ...shown, version: 0 }, json)
      const saved = await browser.post(place, { ...shown, reason: 'Only looked' })
      assert.equal(saved.statusCode, 303)
      const page = textOf((await browser.follow(saved)).body)
      assert.match(page, /Nothing changed\./)
      assert.doesNotMatch(page, / edited /)
      assert.equal((await browser.get(`/drafts?place=${place}`, json.headers)).json().id, null)
      assert.equal((await act(forum, edit, { actor: staff, key, input: shown })).isChanged, false)
      assert.equal((await kept(table, key)).version, 1)
    }
  })

  test('restoring what a post says already makes no version', async () => {
    const { author, staff, posts } = await postsOfEachKind(forum)
    for (const { table, key, edit } of posts) {
      const old = { ...fields, title: 'The old title', body: 'old words', tags: 'old, stays', version: 2 }
      await act(forum, edit, { actor: staff, key, input: fields })
      await act(forum, edit, { actor: author, key, input: old })
      const { restoration } = HISTORIES[table]
      const by = { actor: staff, key: { id: key, version: 1 }, input: { reason: 'Better' } }
      assert.equal(await act(forum, restoration, by), 'same')
      assert.equal((await kept(table, key)).version, 3)
    }
  })

  test('of many different edits at once one is saved, and the others conflict', async () => {
    const { author: actor, posts } = await postsOfEachKind(forum)
    for (const { key, edit } of posts) {
      const edits = Array.from({ length: 8 }, (_, index) =>
        refusalOf(forum, edit, { actor, key, input: { ...fields, body: `words ${index}` } }),
      )
      assert.deepEqual((await Promise.all(edits)).sort(), ['done', ...Array(7).fill('edited-meanwhile')])
    }
    assert.deepEqual(await recount(forum.db), [])
  })

  test('a refused edit keeps what was typed, markup as well, and the version it began with', async () => {
    const { author, staff, posts } = await postsOfEachKind(forum)
    const browser = await signedIn(forum.app, author)
    const body = '\n\n  </textarea><script>alert(1)</script> &amp; "quotes"\u0007\n\n'
    for (const { table, key, edit, form } of posts) {
      await act(forum, edit, { actor: staff, key, input: { ...fields, body: 'somebody else' } })
      const refused = await browser.post(form, { ...fields, title: 'Title kept', body })
      assert.equal(refused.statusCode, 422)
      assert.deepEqual([valueIn(refused.body, 'body'), valueIn(refused.body, 'version')], [body, '1'])
      assert.match(refused.body, /href="#body"/)
      if (table === 'questions') assert.equal(valueIn(refused.body, 'title'), 'Title kept')
    }
  })

  test('without the version it began with, an edit is saved unless someone else edited', async () => {
    const { author: actor, staff, posts } = await postsOfEachKind(forum)
    const { version: _, ...unversioned } = fields
    for (const { table, key, edit } of posts) {
      const by = (input: object) =>
        refusalOf(forum, edit, { actor, key, input: { ...unversioned, ...input } })
      // Never edited; edited by the same person.
      for (const body of ['first words', 'second words']) assert.equal(await by({ body }), 'done')
      const theirs = { ...fields, body: 'somebody else', version: 3 }
      await act(forum, edit, { actor: staff, key, input: theirs })
      for (const said of [{}, { version: '' }, { version: ['1', '2'] }])
        assert.equal(await by({ body: 'mine', ...said }), 'edited-meanwhile')
      assert.deepEqual(await kept(table, key), { body: 'somebody else', version: 4 })
    }
  })

  test('what is deleted is gone for its form, too, and shows what was typed', async () => {
    const { author, posts } = await postsOfEachKind(forum)
    const browser = await signedIn(forum.app, author)
    for (const { path, form } of posts.toReversed()) {
      assert.equal((await browser.post(`${path}/delete`)).statusCode, 303)
      const late = await browser.post(form, { ...fields, body: 'too late' })
      assert.equal(late.statusCode, 410)
      assert.match(textOf(late.body), /too late/)
    }
    assert.deepEqual(await recount(forum.db), [])
  })
})
