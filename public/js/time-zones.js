// Puts the browser's time zone on top of a list of all, where it is looked for first.

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
const select = document.querySelector('select[name="time_zone"]')
const own = select?.querySelector(`option[value="${CSS.escape(timeZone)}"]`)
if (own) select?.querySelector('option:not([value=""])')?.before(own)
