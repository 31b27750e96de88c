import type { Page } from 'playwright/test'

/** A form with fields for text, as the page has it. A button is told by what it sends: two that send the same are the same. */
interface SentForm {
  readonly action: string
  readonly isPost: boolean
  /** Buttons that send it, in their order; Preview and its like aside. */
  readonly buttons: readonly {
    readonly sends: string
    readonly isDefault: boolean
    readonly isDanger: boolean
  }[]
  /** Enter in a line of text does not send it. */
  readonly refusesEnter: boolean
  readonly fields: readonly { readonly at: number; readonly name: string; readonly isLine: boolean }[]
}

/** What a key did: which field it was pressed in, and what the button sends that the form was sent by. */
interface Sent {
  readonly field: number
  readonly isCtrl: boolean
  readonly sends: string
}

declare global {
  interface Window {
    sentByKeys: Sent[]
  }
}

/** Enter in a post's title, or in the text for a picture, must not send what others read at once. */
const REFUSING = new RegExp(
  [
    '^/questions(/\\d+/(edit|answers|replies|desk))?$',
    '^/(answers|replies)/\\d+/(edit|replies)$',
    '^(/courses/[^/]+)?/announcements/(new|\\d+/edit)$',
    '^/preview$',
    // A person is told at once what was decided.
    '^/cases/\\d+/decision$',
  ].join('|'),
)

const FIELDS = [
  'textarea',
  'input:not([type])',
  ...['text', 'search', 'email', 'password', 'url', 'tel', 'number', 'date'].map(
    (type) => `input[type=${type}]`,
  ),
].join(',')

/**
 * Presses Ctrl+Enter in every field for text of every form of a page, and Enter in every line of text, and says what went wrong. Nothing
 * is sent: the page's own scripts hear of no form.
 * @param known forms that were tried already; those of the page are added
 */
export async function misdirectedKeys(page: Page, known: Set<string>): Promise<string[]> {
  // Some fields are put in by scripts, which come once somebody writes.
  for (const part of await page.locator('[data-behaviour] textarea:visible').all()) await part.focus()
  await page.waitForLoadState('networkidle')
  await untilStable(page)
  const forms = (await page.evaluate(formsOf, FIELDS)).filter((form) => {
    const fields = form.fields.map(({ name }) => name)
    const kind = `${form.action.replaceAll(/\d+/g, '0')} ${fields} ${form.buttons.length}`
    return !known.has(kind) && known.add(kind)
  })
  for (const { isPost, fields } of forms) {
    for (const { at, isLine } of fields) {
      await page.evaluate(focusOn, [FIELDS, at] as const)
      if (isPost) await page.keyboard.press('Control+Enter')
      if (isLine) await page.keyboard.press('Enter')
    }
  }
  if (forms.length === 0) return []
  const sent = await page.evaluate(() => window.sentByKeys)
  return forms.flatMap((form) => mistakesOf(form, sent).map((what) => `${form.action}: ${what}`))
}

/** A script that came late still puts its fields in. */
async function untilStable(page: Page): Promise<void> {
  for (let before = -1, now = -2; before !== now; ) {
    before = await page.locator(FIELDS).count()
    await page.waitForTimeout(300)
    now = await page.locator(FIELDS).count()
  }
}

function mistakesOf({ action, isPost, buttons, refusesEnter, fields }: SentForm, sent: readonly Sent[]) {
  const acts = new Set(buttons.map(({ sends }) => sends))
  const usual = acts.size > 1 ? buttons.find(({ isDefault }) => isDefault) : buttons[0]
  const expected = JSON.stringify([usual?.sends ?? 'no button'])
  const mistakes: string[] = []
  if (isPost && acts.size > 1 && usual === undefined) mistakes.push('does not name its default button')
  if (acts.size > 1 && usual?.isDanger === true) mistakes.push('the keys delete')
  if (fields.some(({ isLine }) => isLine) && refusesEnter !== REFUSING.test(action))
    mistakes.push(`Enter is ${refusesEnter ? 'refused' : 'not refused'}`)
  for (const { at, name, isLine } of fields) {
    const by = (ctrl: boolean) =>
      JSON.stringify(
        sent.filter(({ field, isCtrl }) => field === at && isCtrl === ctrl).map((one) => one.sends),
      )
    if (isPost && by(true) !== expected)
      mistakes.push(`Ctrl+Enter in ${name} sends ${by(true)}, not ${expected}`)
    const byEnter = refusesEnter ? '[]' : expected
    if (isLine && by(false) !== byEnter) mistakes.push(`Enter in ${name} sends ${by(false)}, not ${byEnter}`)
  }
  return mistakes
}

/** Focuses a field, also of a menu that is closed. Runs in the page. */
function focusOn([all, at]: readonly [string, number]): void {
  const field = document.querySelectorAll<HTMLElement>(all)[at]
  for (let part = field?.closest('details'); part; part = part.parentElement?.closest('details'))
    part.open = true
  field?.focus()
}

/** The forms of the page whose fields can be seen; from now on sending one is only noted. Runs in the page. */
function formsOf(all: string): SentForm[] {
  for (const details of document.querySelectorAll('details')) {
    details.removeAttribute('name')
    details.open = true
  }
  const sendsOf = (button: Element | null) =>
    button instanceof HTMLButtonElement
      ? `${button.getAttribute('formaction') ?? ''} ${button.name}=${button.value}`.trim()
      : 'no button'
  const there = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(all)]
  window.sentByKeys = []
  let isCtrl = false
  const onKey = (event: KeyboardEvent) => {
    isCtrl = event.ctrlKey
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    event.stopImmediatePropagation()
    const field = there.findIndex((one) => one.matches(':focus'))
    window.sentByKeys.push({ field, isCtrl, sends: sendsOf(event.submitter) })
  }
  window.addEventListener('keydown', onKey, true)
  window.addEventListener('submit', onSubmit, true)
  // What lies behind an open modal dialog takes no keys.
  const reached = document.querySelector('dialog:modal') ?? document
  const forms = Map.groupBy(
    there.filter((field) => field.checkVisibility() && reached.contains(field)),
    ({ form }) => form,
  )
  return [...forms].flatMap(([form, fields]) => {
    if (form === null) return []
    form.noValidate = true
    const own = [...form.elements]
      .filter((one) => one instanceof HTMLButtonElement)
      .filter(({ type }) => type === 'submit')
    return [
      {
        action: new URL(form.getAttribute('action') ?? '', location.href).pathname,
        isPost: form.method === 'post',
        buttons: own
          .filter((button) => !button.disabled && !button.formNoValidate)
          .map((button) => ({
            sends: sendsOf(button),
            isDefault: button.dataset.default !== undefined,
            isDanger: button.classList.contains('danger'),
          })),
        refusesEnter: own[0]?.disabled === true,
        fields: fields.map((field) => ({
          at: there.indexOf(field),
          name: field.name,
          isLine: field instanceof HTMLInputElement,
        })),
      },
    ]
  })
}
