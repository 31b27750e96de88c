import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { SiteSettings } from '../../rights/site-settings.ts'
import type { PolicyPlace } from './commands.ts'

const FOLDER = join(import.meta.dirname, 'suggested')

/** Items of the privacy page that only hold for some forums begin with `- [name]`: what leaves this one's server. */
const CONDITION = /^- \[([a-z]+)\] /

/** A text to start from, in the language of the page. The one about privacy says where this forum's data goes and how long it is kept. */
export async function suggestedText(
  { courseId, name, language }: PolicyPlace,
  config: Pick<Config, 'smtpUrl' | 's3Url' | 'replyAddress' | 'embeddingsUrl'>,
  kept: Pick<SiteSettings, 'auditMonths' | 'caseMonths'>,
): Promise<string> {
  const file = courseId === null ? name : 'course-rules'
  const holds: Readonly<Record<string, boolean>> = {
    mail: config.smtpUrl !== null,
    replies: config.replyAddress !== null,
    bucket: config.s3Url !== null,
    embeddings: config.embeddingsUrl !== null,
  }
  const months = new Intl.NumberFormat(language, { style: 'unit', unit: 'month', unitDisplay: 'long' })
  const text = await readFile(join(FOLDER, `${file}.${language}.md`), 'utf8')
  const lines = text.trim().split('\n')
  return lines
    .filter((line) => holds[CONDITION.exec(line)?.[1] ?? ''] ?? true)
    .map((line) => line.replace(CONDITION, '- '))
    .join('\n')
    .replace(/\{(auditMonths|caseMonths)\}/g, (_, name: keyof typeof kept) => months.format(kept[name]))
}
