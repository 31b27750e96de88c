import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageIn, languageOf } from './language.ts'

test('Korean is told among English words of the trade', () => {
  assert.equal(languageOf('ResponseEntity로 감싸야 하나요?'), 'ko')
  assert.equal(languageOf('Spring Boot @RequestMapping 질문'), 'ko')
  assert.equal(languageOf('大韓民國 헌법 第一條'), 'ko')
  assert.equal(languageOf('여기 https://example.com/a/very/long/path/in/the/documentation 보세요'), 'ko')
})

test('English is told by its common words, also when it quotes another language', () => {
  assert.equal(languageOf('How to map JSON to objects?'), 'en')
  assert.equal(languageOf('What does the word 안녕하세요 mean in this sample and why'), 'en')
})

test('Japanese has kana, Chinese has none to speak of', () => {
  assert.equal(languageOf('リンクは必要ですか'), 'ja')
  assert.equal(languageOf('如何使用 Spring 构建接口'), 'zh')
  assert.equal(languageOf('我喜歡這個優の良品牌子的所有東西'), 'zh')
})

test('nothing is claimed of other languages, of names and of nothing', () => {
  const other = ['¿Cómo hacer esto con Spring?', 'Wie kann ich das machen?', 'Получить']
  for (const text of ['', '123', 'ResponseEntity', ...other]) assert.equal(languageOf(text), null, text)
})

test('where nothing can be told, the language is that of the course', () => {
  assert.equal(languageIn('ko', 'ResponseEntity'), 'ko')
  assert.equal(languageIn('ko', 'Why is PUT idempotent?'), 'en')
})
