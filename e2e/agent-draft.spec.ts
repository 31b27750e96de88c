import { leaveAgentDraft } from '../src/forum/drafts/agent-draft.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aPerson, aQuestion } from '../src/testing/builders.ts'
import { within } from '../src/testing/within.ts'
import { expect, test } from './forum.ts'
import { barriers } from './inspection.ts'

const t = translatorOf('en')
const by = t('drafts.agent.by', { client: 'Claude' })

for (const javaScriptEnabled of [true, false])
  test(`an agent’s draft goes below what is typed, scripts: ${javaScriptEnabled}`, async ({ as, db }) => {
    const [question, person] = [await aQuestion(db), await aPerson(db)]
    const draft = (body: string) =>
      within(db, leaveAgentDraft, person.id, question.id, { body, client: 'Claude' })
    await draft('Use **POST**.')
    const page = await as(person, { javaScriptEnabled })
    await page.goto(`/questions/${question.id}`)
    const note = page.locator('.note').filter({ hasText: by })
    const answer = page.getByLabel(t('answers.form.label'), { exact: true })
    await expect(note).toBeVisible()
    await expect(answer).toHaveValue('')
    if (javaScriptEnabled) expect(await barriers(page)).toEqual([])
    await answer.fill('In short:')
    await note.getByRole('button', { name: t('drafts.agent.use') }).click()
    await expect(answer).toHaveValue('In short:\n\nUse **POST**.')
    await expect(page.locator('[data-flash]', { hasText: t('drafts.flash.used') })).toBeVisible()
    await expect(note).toBeHidden()

    await draft('Another one')
    await page.goto(`/questions/${question.id}`)
    await note.getByRole('button', { name: t('forms.discard') }).click()
    await expect(note).toBeHidden()
    if (!javaScriptEnabled) await page.goto(`/drafts`)
    if (!javaScriptEnabled) await page.getByRole('link', { name: question.title }).click()
    await expect(answer).toHaveValue('In short:\n\nUse **POST**.')
    await page.getByRole('button', { name: t('answers.form.post') }).click()
    await expect(page.locator('.answer .prose')).toHaveText(/In short:\s*Use POST\./)
  })
