import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../testing/browser.ts'
import { aCourse, aMember } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'

suite('a form of several pages', () => {
  const forum = sharedForum()

  test('leads back to the page that it stood on, and to none outside of the forum', async () => {
    const course = await aCourse(forum.db)
    const reader = await signedIn(forum.app, await aMember(forum.db, course))
    const ledTo = async (back: string) => {
      const sent = await reader.post(`/courses/${course.slug}/following`, { value: '1', back })
      assert.equal(sent.statusCode, 303)
      return String(sent.headers.location)
    }
    assert.equal(await ledTo('/tags?course=x'), '/tags?course=x')
    const elsewhere = [
      'https://evil.test/',
      '//evil.test',
      '/\\evil.test',
      'javascript:alert(1)',
      '/\t/evil.test',
    ]
    for (const back of elsewhere) assert.match(await ledTo(back), /^\/courses\//, back)
  })
})
