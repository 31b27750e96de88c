/**
 * Who will read a post, and whether its author is named: a draft that forgot it would come back open.
 * @param {HTMLFormElement} form
 */
function choicesIn(form) {
  return [...form.querySelectorAll('input[name="audience"], input[name="anonymous"]')].filter(
    (choice) => choice instanceof HTMLInputElement,
  )
}

/**
 * @param {HTMLFormElement} form
 * @returns {Record<string, string>}
 */
export function chosenIn(form) {
  /** @type {Record<string, string>} */
  const chosen = {}
  for (const { name, type, value, checked } of choicesIn(form)) {
    if (checked) chosen[name] = value
    else if (type === 'checkbox') chosen[name] = '0'
  }
  return chosen
}

/**
 * @param {HTMLFormElement} form
 * @param {Record<string, string>} chosen
 */
export function choose(form, chosen) {
  for (const choice of choicesIn(form)) {
    const value = chosen[choice.name]
    if (value !== undefined) choice.checked = choice.value === value
  }
}
