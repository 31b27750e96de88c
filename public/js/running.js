// Improves the pages on which a course is run: lectures, members and its first steps.

import { copyAddress } from './copy.js'
import { arrangeLectures } from './lectures.js'
import { saveChosenRole } from './roles.js'
import { selectAll } from './selection.js'

for (const list of document.querySelectorAll('.lecture-index.lecture-tools'))
  if (list instanceof HTMLElement) arrangeLectures(list)
for (const form of document.querySelectorAll('form.role-form'))
  if (form instanceof HTMLFormElement) saveChosenRole(form)
for (const place of document.querySelectorAll('.select-all'))
  if (place instanceof HTMLElement) selectAll(place)
for (const button of document.querySelectorAll('.copy-line > button'))
  if (button instanceof HTMLButtonElement) copyAddress(button)
