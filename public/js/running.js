// What improves the pages on which a course is run: lectures and members.

import { arrangeLectures } from './lectures.js'

for (const list of document.querySelectorAll('.lecture-index.editable'))
  if (list instanceof HTMLElement) arrangeLectures(list)
