import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../testing/properties.ts'
import { localPath, pathWith, personPath, questionPath, tagPath } from './paths.ts'

suite('where signing in may lead', () => {
  test('paths of ours stay as they are', () => {
    for (const path of [
      ...['/', '/questions/12/slug?answers=oldest#answer-3', '/questions/new?course=a%26b', '/tags/c%2B%2B'],
      ...['/search?q=//evil.example', '/questions?next=https://evil.example'],
    ])
      assert.equal(localPath(path), path)
    assert.equal(localPath('/tags/한국어'), '/tags/%ED%95%9C%EA%B5%AD%EC%96%B4')
  })

  test('addresses of others, in any disguise, lead to the front page', () => {
    const disguises = [
      ...['//evil.example', '///evil.example', '/\\evil.example', '\\\\evil.example', '/\\/evil.example'],
      ...['https://evil.example', 'https:evil.example', 'https:/evil.example', 'HTTPS:evil.example'],
      ...['//evil.example@localhost', '/\t/evil.example', '/\n/evil.example', '/\r/evil.example'],
      ...['\t//evil.example', ' //evil.example', '\u0000//evil.example', '/\u0085/evil.example'],
      ...['/.//evil.example', '/..//evil.example', '/./\\evil.example', '/x/..//evil.example'],
      ...['/%2e//evil.example', '/%2e%2e//evil.example', 'evil.example', '@evil.example'],
      ...['javascript:alert(1)', 'data:text/html,x', '?x', '#x', ''],
    ]
    for (const path of disguises) assert.equal(localPath(path), '/', JSON.stringify(path))
    assert.equal(localPath(null), '/')
    assert.equal(localPath(undefined, '/questions'), '/questions')
    assert.equal(localPath(`/search?q=${'한'.repeat(500)}`, '/desk'), '/desk')
  })

  test('whatever comes in, a browser stays on this host', () => {
    const signs = ['/', '\\', '.', '..', '%2f', '%5c', '%2e', ':', '@', '?', '#', '\t', '\n', ' ']
    const parts = [...signs, 'evil.example', 'https', 'a']
    const joined = fc.array(fc.constantFrom(...parts)).map((some) => some.join(''))
    const property = fc.property(fc.oneof(fc.string(), joined), (next) => {
      const path = localPath(next)
      assert.ok(path.startsWith('/'))
      assert.equal(new URL(path, 'http://forum.example').host, 'forum.example')
      assert.equal(localPath(path), path)
    })
    holds(property, 3000)
  })
})

suite('addresses', () => {
  test('are ready for an href whatever the words are', () => {
    assert.equal(questionPath({ id: 7, title: 'What is C++?' }), '/questions/7/what-is-c')
    assert.equal(questionPath({ id: 7, title: '???' }), '/questions/7/question')
    assert.equal(questionPath({ id: 7, title: 'EDIT' }), '/questions/7/question-edit')
    for (const word of ['History', 'Reports', 'Cases'])
      assert.equal(questionPath({ id: 7, title: word }), `/questions/7/question-${word.toLowerCase()}`)
    assert.equal(personPath({ id: 3, displayName: 'Cases' }), '/people/3/person-cases')
    assert.equal(personPath({ id: 3, displayName: '미나 Kim' }), '/people/3/%EB%AF%B8%EB%82%98-kim')
    assert.equal(tagPath('c#'), '/tags/c%23')
    assert.equal(pathWith('/questions', { tag: 'a&b', page: 2, none: null }), '/questions?tag=a%26b&page=2')
    assert.equal(pathWith('/questions', { none: null }), '/questions')
  })
})
