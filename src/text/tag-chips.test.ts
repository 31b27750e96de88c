import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closedTags, preselectedTag, withTags } from './tag-chips.ts'

test('a comma of any script closes what was typed before it', () => {
  assert.deepEqual(closedTags('Java'), { closed: [], rest: 'Java' })
  assert.deepEqual(closedTags('Java,'), { closed: ['Java'], rest: '' })
  assert.deepEqual(closedTags('java, rest api、, 자바，js on'), {
    closed: ['java', 'rest api', '자바'],
    rest: 'js on',
  })
  assert.deepEqual(closedTags(' , ,'), { closed: [], rest: '' })
})

test('tags are shown as they are stored, each once', () => {
  assert.deepEqual(withTags(['java'], ['Java', 'REST  API', ' ', 'rest-api']), ['java', 'rest-api'])
})

test('a beginning takes the tag itself, else the first that begins so', () => {
  assert.equal(preselectedTag('ja', ['jackson', 'java']), 0)
  assert.equal(preselectedTag('J', ['old', 'java']), 1)
  assert.equal(preselectedTag('자', ['자바']), 0)
  assert.equal(preselectedTag('go', ['go-routines', 'go']), 1)
  assert.equal(preselectedTag('api', ['rest-api', 'api-design']), 1)
  assert.equal(preselectedTag('예외', ['예외-처리']), 0)
})

test('nothing is preselected where no tag begins so', () => {
  assert.equal(preselectedTag(' ', ['java']), -1)
  assert.equal(preselectedTag('ja', ['rest']), -1)
})
