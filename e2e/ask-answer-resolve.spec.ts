import { test } from './forum.ts'
import { finger, keyboard, mouse } from './hands.ts'
import { askAnswerResolve } from './journey.ts'

test('a learner asks, the instructor answers, the asker accepts, others vote', async ({ as, forum }) => {
  await askAnswerResolve({ as, forum, hands: mouse })
})

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false })

  test('a question is asked, answered and resolved', async ({ as, forum }) => {
    await askAnswerResolve({ as, forum, hands: mouse })
  })
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 3 })

  test('a question is asked, answered and resolved by touch', async ({ as, forum }) => {
    await askAnswerResolve({ as, forum, hands: finger })
  })
})

test('a question is asked, answered and resolved by keyboard alone', async ({ as, forum }) => {
  await askAnswerResolve({ as, forum, hands: keyboard })
})

test.describe('in Korean', () => {
  test.use({ locale: 'ko-KR' })

  test('a question is asked, answered and resolved', async ({ as, forum }) => {
    await askAnswerResolve({ as, forum, hands: mouse, language: 'ko' })
  })
})
