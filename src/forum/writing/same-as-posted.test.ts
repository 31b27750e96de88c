import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'

const DATA = join(import.meta.dirname, '../../../../shared/data')
const skip = existsSync(DATA) ? false : `no samples at ${DATA}`
/** Less than a post may have: samples are joined into posts. */
const MAX_POST = 25_000
/** Previews that one account may ask for in a minute, at most. */
const PER_PERSON = 30

const FRAGMENT = { headers: { accept: 'text/html; fragment=1' } }

const read = (path: string) => readFileSync(join(DATA, path), 'utf8')

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
