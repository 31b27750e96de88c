import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VIEWS } from '../../web/views.ts'
import { formatted, isText } from './format.ts'

/** `npm run format-views`: writes each template in lines that fit. */
for (const name of globSync('**/*.eta', { cwd: VIEWS })) {
  const path = join(VIEWS, name)
  const template = readFileSync(path, 'utf8')
  const lines = isText(name) ? template : formatted(template)
  if (lines === template) continue
  writeFileSync(path, lines)
  console.log(`written: views/${name}`)
}
