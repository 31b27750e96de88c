import { fileStore } from '../src/forum/pictures/store.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { importExchange } from '../src/operating/exchange/course-import.ts'
import { aSmallExport } from '../src/operating/exchange/small-export-testing.ts'
import { aPerson } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { expectSound, PHONE } from './inspection.ts'

const t = translatorOf('en')

test('a link to the old forum leads to the answer here, and says who its author was', async ({ as, db }) => {
  const ends: (() => Promise<void>)[] = []
  const path = await aSmallExport(
    { after: (work) => void ends.push(work) },
    {
      people: [{}, { id: 'kim', name: 'Kim', role: 'instructor' }],
      questions: [{ id: '41', body: 'A long question.\n\n'.repeat(60) }],
      answers: [{ id: '90', question: '41', author: { person: 'kim' }, addresses: ['41-90'] }],
      replies: [{ id: '91', question: '41', answer: '90', author: { person: 'kim' } }],
    },
  )
  await importExchange(db, fileStore(path), { path, course: { slug: 'moved' } })
  for (const end of ends) await end()
  const page = await as(await aPerson(db), { viewport: PHONE, isMobile: true })
  await page.goto('/from/ed/41-90')
  const answer = page.getByRole('article', { name: /Kim/ })
  await expect(answer).toBeInViewport()
  await expect(answer.getByText(t('roles.then')).first()).toBeVisible()
  await expect(answer.getByTitle(new RegExp(t('posts.imported', { source: 'ed' }))).first()).toBeVisible()
  await expectSound(page)
})
