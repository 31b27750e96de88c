// Puts the browser's time zone on top of a list of all, where it is looked for first. A form that begins somebody's forum takes it.

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
const select = document.querySelector('select[name="time_zone"]')
const own = select?.querySelector(`option[value="${CSS.escape(timeZone)}"]`)
if (own instanceof HTMLOptionElement && select instanceof HTMLSelectElement) {
  const isChosen = !select.selectedOptions[0]?.defaultSelected
  select.querySelector('option:not([value=""])')?.before(own)
  if (!isChosen && select.closest('[data-takes-zone]')) own.selected = true
}
