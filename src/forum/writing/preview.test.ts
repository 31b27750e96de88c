import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textFormAt } from '../drafts/text-form.ts'

const DATA = join(import.meta.dirname, '../../../../shared/data')
const skip = existsSync(DATA) ? false : `no samples at ${DATA}`
/** Less than a post may have: samples are joined into posts. */
const MAX_POST = 25_000
/** Previews that one account may ask for in a minute, at most. */
const PER_PERSON = 30

const FRAGMENT = { headers: { accept: 'text/html; fragment=1' } }

const read = (path: string) => readFileSync(join(DATA, path), 'utf8')

suite('the preview of a text', () => {
  const forum = sharedForum()
  const somebody = async () => signedIn(forum.app, await aPerson(forum.db))

  test('shows it as it will look, and goes on to where it is posted', async () => {
    const question = await aQuestion(forum.db)
    const writer = await somebody()
    const action = `/questions/${question.id}/answers`
    const page = await writer.post('/preview', { body: 'Some **bold** words', to: action, version: '7' })
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /<article class="preview">[\s\S]*Some <strong>bold<\/strong> words/)
    assert.match(page.body, new RegExp(`<form class="stack" method="post" action="${action}">`))
    assert.match(page.body, /name="version" value="7"/)
    assert.match(page.body, />\nSome \*\*bold\*\* words<\/textarea>/)
    assert.deepEqual(await markupMistakes(page.body), [])
  })

  test('is the piece alone where a script asks for that', async () => {
    const piece = await (await somebody()).post('/preview', { body: '`code` <script>' }, FRAGMENT)
    assert.equal(piece.statusCode, 200)
    const prose = /^<div class="prose"[^>]*>\s*<p><code>code<\/code> &lt;script&gt;<\/p>\s*<\/div>$/
    assert.match(piece.body.trim(), prose)
    assert.match(String(piece.headers['content-type']), /^text\/html; charset=utf-8/)
    assert.match(String(piece.headers['cache-control']), /no-store/)
  })

  test('says what keeps a text from being posted, and keeps it', async () => {
    const writer = await somebody()
    const long = 'x'.repeat(30_001)
    const page = await writer.post('/preview', { body: long, to: '/answers/1/edit' })
    assert.equal(page.statusCode, 422)
    assert.match(page.body, /class="error-summary"[\s\S]*href="#body"/)
    assert.ok(page.body.includes(`${long}</textarea>`))
    const piece = await writer.post('/preview', { body: ' ' }, FRAGMENT)
    assert.equal(piece.statusCode, 422)
    assert.match(piece.body.trim(), /^<p class="error">[^<]+<\/p>$/)
  })

  test('never leads anywhere but to a form of ours', async () => {
    const writer = await somebody()
    const elsewhere = ['https://evil.test/', '//evil.test', '/sign-out']
    for (const to of [...elsewhere, '/questions/1/delete', '/answers/1/answers']) {
      assert.equal(textFormAt(to), null, to)
      const page = await writer.post('/preview', { body: 'words', to })
      assert.match(page.body, /<form class="stack" method="post" action="\/preview">/, to)
      assert.doesNotMatch(page.body, /evil\.test/, to)
    }
  })

  test('keeps a text for a visitor who has to sign in first, on the page it is written on', async () => {
    const answer = await anAnswer(forum.db)
    for (const [to, page] of [
      [`/answers/${answer.id}/replies`, `/answers/${answer.id}?form=reply-answer-${answer.id}&kept=`],
      ['/questions/4/answers', '/questions/4?form=answer&kept='],
      ['/questions/4/replies', '/questions/4?form=reply-question&kept='],
      ['/replies/4/edit', '/replies/4/edit?kept='],
    ] as const) {
      const { headers } = await visitor(forum.app).post('/preview', { body: 'typed', to })
      const next = new URL(String(headers.location), forum.app.config.baseUrl).searchParams.get('next')
      assert.ok(next?.startsWith(page), `${to}: ${next}`)
    }
  })
})

suite('a preview', () => {
  const forum = sharedForum()

  for (const [name, samples] of [
    ['examples of CommonMark', () => examples()],
    ['payloads', () => `${read('hostile/xss.txt')}\n${read('hostile/markdown-xss.txt')}`.split('\n')],
    ['naughty strings', (): string[] => JSON.parse(read('hostile/naughty-strings.json'))],
    [
      'formulas, code and numbers',
      () => [
        ...['$a_1$', '$$\nb\n$$', '```java {1}\nint a;\n```', '#1', '$\\foo$', '```\nx\n```'],
        ...['@[x](person:999999999)', '@staff'],
      ],
    ],
  ] as const) {
    test(`is the page that is posted, for ${name}`, { skip }, async () => {
      const posts = joined(samples())
      assert.ok(posts.length > 0)
      let writer = await signedIn(forum.app, await aPerson(forum.db))
      for (const [index, body] of posts.entries()) {
        if (index % PER_PERSON === PER_PERSON - 1) writer = await signedIn(forum.app, await aPerson(forum.db))
        const preview = await writer.post('/preview', { body }, FRAGMENT)
        const question = await aQuestion(forum.db)
        const posted = await writer.post(`/questions/${question.id}/answers`, { body })
        assert.equal(posted.statusCode === 303, preview.statusCode === 200, body)
        if (posted.statusCode !== 303) continue
        const page = await visitor(forum.app).follow(posted)
        assert.ok(page.body.includes(proseOf(preview.body)), body)
      }
    })
  }
})

function examples(): string[] {
  const all: { markdown: string }[] = JSON.parse(read('markdown/commonmark-spec.json'))
  return all.map(({ markdown }) => markdown)
}

/** Samples as few posts, each sample apart from the next; what no post may hold goes alone. */
function joined(samples: readonly string[]): string[] {
  const posts: string[] = []
  let post = ''
  for (const sample of samples.filter((one) => one.trim() !== '')) {
    if (hasForbidden(sample)) continue
    if (post.length + sample.length > MAX_POST) {
      posts.push(post)
      post = ''
    }
    post += `${sample}\n\n***\n\n`
  }
  return [...posts, post].filter((one) => one !== '')
}

/** Control characters are refused in both. */
function hasForbidden(text: string): boolean {
  return /[\p{Cc}\uFFFD]/u.test(text.replace(/[\t\n]/g, '')) || !text.isWellFormed()
}

/** What stands in the box of the text. */
function proseOf(fragment: string): string {
  return fragment.replace(/^\s*<div class="prose"[^>]*>|<\/div>\s*$/g, '')
}
