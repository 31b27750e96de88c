import { test } from './forum.ts'
import { finger, keyboard, mouse } from './hands.ts'
import { askAnswerResolve } from './journey.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 3 }

for (const [how, options, hands, language] of [
  ['with a mouse', {}, mouse, 'en'],
  ['with JavaScript off', { javaScriptEnabled: false }, mouse, 'en'],
  ['on a phone by touch', PHONE, finger, 'en'],
  ['by keyboard alone', {}, keyboard, 'en'],
  ['in Korean', { locale: 'ko-KR' }, mouse, 'ko'],
] as const)
  test.describe(how, () => {
    test.use(options)

    test('a learner asks, the instructor answers, the asker accepts, others vote', ({ as, db }) =>
      askAnswerResolve({ as, db, hands, language }))
  })
