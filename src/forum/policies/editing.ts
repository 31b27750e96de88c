import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import type { Config } from '../../config.ts'
import { EditedMeanwhile } from '../../kernel/problem.ts'
import { findSiteSettings, type SiteSettings } from '../../kernel/rights/site-settings.ts'
import { type FormState, freshForm, refuse, typedFields } from '../../web/form.ts'
import type { FormDoor } from '../../web/forms/door.ts'
import { versionOf } from '../posts/editing.ts'
import { findPolicy, POLICY_BODY, type PolicyPlace } from './policy.ts'

/** What views/policies/_form.eta shows. */
export type PolicyFormView = ReturnType<typeof formView>

/** A page's text that is written: where it belongs, and how its form is shown. */
export interface Editing {
  readonly place: PolicyPlace
  readonly path: string
  readonly show: (request: FastifyRequest, reply: FastifyReply, form: PolicyFormView) => Promise<string>
}

export async function showPolicyForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { place, path, show }: Editing,
) {
  const policy = await findPolicy(request.server.db, place)
  const kept = await findKeptForm(request)
  const form = restoredForm(request, kept, { body: policy?.body ?? '' })
  return show(request, reply, formView(path, form, versionOf(kept) ?? policy?.version ?? 0))
}

/** Handles the forms of all pages: filling in the suggested text, and saving. */
export function policyDoor(editing: (request: FastifyRequest) => Editing | Promise<Editing>) {
  async function again(
    request: FastifyRequest,
    reply: FastifyReply,
    form: FormState,
    isOvertaken = false,
  ): Promise<string> {
    const { place, path, show } = await editing(request)
    const now = isOvertaken ? await findPolicy(request.server.db, place) : null
    const version = isOvertaken ? now?.version : versionOf(request.body)
    return show(request, reply, formView(path, form, version ?? 0, now))
  }
  return {
    keeps: ['body', 'version'],
    async instead(request, reply) {
      if (typedFields(request.body).suggest !== '1') return null
      const { place } = await editing(request)
      const { config, db } = request.server
      const body = await suggestedText(place, config, await findSiteSettings(db))
      return again(request, reply, freshForm({ body }))
    },
    flash: (_, done) => (done?.isChanged === false ? 'forms.unchanged' : 'policies.flash.saved'),
    refused: (request, reply, form) => again(request, reply, form),
    failed: (request, reply, error, form) =>
      error instanceof EditedMeanwhile
        ? again(request, reply, refuse(form, 'body', 'posts.conflict.summary'), true)
        : null,
  } satisfies Partial<FormDoor<never, { readonly isChanged: boolean }>>
}

/** @param theirs the text that someone else saved meanwhile */
function formView(action: string, form: FormState, version: number, theirs: { body: string } | null = null) {
  return { form, action, version, theirs, max: POLICY_BODY.max }
}

const FOLDER = join(import.meta.dirname, 'suggested')

/** Items of the privacy page that only hold for some forums begin with `- [name]`: what leaves this one's server. */
const CONDITION = /^- \[([a-z]+)\] /

/** A text to start from, in the language of the page. The one about privacy says where this forum's data goes and how long it is kept. */
export async function suggestedText(
  { courseId, name, language }: PolicyPlace,
  config: Pick<Config, 'smtpUrl' | 's3Url' | 'replyAddress' | 'embeddingsUrl' | 'spamUrl' | 'careful'>,
  kept: Pick<SiteSettings, 'auditMonths' | 'caseMonths' | 'agents'>,
): Promise<string> {
  const file = courseId === null ? name : 'course-rules'
  const holds: Readonly<Record<string, boolean>> = {
    mail: config.smtpUrl !== null,
    replies: config.replyAddress !== null,
    bucket: config.s3Url !== null,
    embeddings: config.embeddingsUrl !== null,
    agents: kept.agents !== 'off',
    spam: config.spamUrl !== null && config.careful !== null,
  }
  const months = new Intl.NumberFormat(language, { style: 'unit', unit: 'month', unitDisplay: 'long' })
  const text = await readFile(join(FOLDER, `${file}.${language}.md`), 'utf8')
  const lines = text.trim().split('\n')
  return lines
    .filter((line) => holds[CONDITION.exec(line)?.[1] ?? ''] ?? true)
    .map((line) => line.replace(CONDITION, '- '))
    .join('\n')
    .replace(/\{(auditMonths|caseMonths)\}/g, (_, name: 'auditMonths' | 'caseMonths') =>
      months.format(kept[name]),
    )
}
