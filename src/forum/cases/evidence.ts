import type { Row } from '../../database/schema.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { changedWords } from '../../text/changed-words.ts'
import { languageOf, languageOfPost } from '../../text/language.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import type { EvidenceView } from './case-view.ts'
import type { FoundCase } from './find.ts'
import type { CaseLook } from './look.ts'
import type { Present } from './present.ts'

/** The texts as they were reported, and beside them what the last of them became. */
export async function evidenceOf(
  matter: FoundCase,
  snapshots: readonly Row<'case_snapshots'>[],
  present: Present | null,
  look: CaseLook,
): Promise<{ readonly evidence: readonly EvidenceView[]; readonly presentText: string | null }> {
  const texts = await prepareMarkdown(snapshots.map(({ body }) => body ?? ''))
  const kept = snapshots.map((snapshot, index) => keptView(snapshot, texts[index]?.html ?? '', look))
  const last = snapshots.at(-1)
  const { t } = look
  if (present === null) return { evidence: kept, presentText: t('cases.present.gone') }
  const isEdited =
    matter.about !== 'person' && last !== undefined && present.textVersion !== last.text_version
  const presentText = present.isDeleted ? t('cases.present.deleted') : null
  if (!isEdited || last?.body === null || present.body === null) return { evidence: kept, presentText }
  return { evidence: [...kept, changedView(last?.body ?? '', present, look)], presentText }
}

function keptView(snapshot: Row<'case_snapshots'>, html: string, { t, timeZone }: CaseLook): EvidenceView {
  const { title, body, redacted_at: redactedAt, taken_at: takenAt } = snapshot
  return {
    heading: t('cases.evidence.reported'),
    at: writtenMoment(takenAt, timeZone, t),
    html: redactedAt === null ? html : null,
    removedWhy: snapshot.redacted_why ?? '',
    lang: body === null ? (title === null ? null : languageOf(title)) : languageOfPost(html),
    title,
    pieces: null,
  }
}

function changedView(before: string, present: Present, { t, timeZone }: CaseLook): EvidenceView {
  const now = present.body ?? ''
  return {
    heading: t('cases.evidence.now'),
    at: present.changedAt === null ? null : writtenMoment(present.changedAt, timeZone, t),
    html: '',
    removedWhy: '',
    lang: languageOf(now),
    title: null,
    pieces: changedWords(before, now),
  }
}
