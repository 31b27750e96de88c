import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Language, POLICY_NAMES, type PolicyName } from '../../database/schema.ts'
import {
  type Editing,
  type PolicyFormView,
  policyDoor,
  showPolicyForm,
} from '../../forum/policies/editing.ts'
import { findPolicies, policyChange } from '../../forum/policies/policy.ts'
import { forbidden } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { languageOfRequest, translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { queryParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import { ADMIN_HEAD, adminNav } from './nav.ts'

const PATH = '/admin/pages'

export function registerPolicyAdmin(app: FastifyInstance): void {
  app.get(PATH, (request, reply) => {
    requireAdmin(request)
    return reply.redirect(`${PATH}/rules`, 303)
  })
  for (const name of POLICY_NAMES) {
    const path = `${PATH}/${name}`
    app.get(path, async (request, reply) => showPolicyForm(request, editing(request, reply, name)))
    openForm(app, path, policyChange, {
      ...policyDoor((request, reply) => editing(request, reply, name)),
      key: () => null,
      formPage: (request) => pathOf(name, languageAsked(request)),
      input: (request) => ({ ...sentFields(request.body), name, language: languageAsked(request) }),
      done: (_, request) => pathOf(name, languageAsked(request)),
    })
  }
}

function requireAdmin(request: FastifyRequest): void {
  if (!may(request.requirePerson(), 'decide-settings')) throw forbidden()
}

const pathOf = (name: PolicyName, language: Language) => pathWith(`${PATH}/${name}`, { language })

function languageAsked(request: FastifyRequest): Language {
  const asked = queryParam(request, 'language')
  return LANGUAGES.find((language) => language === asked) ?? languageOfRequest(request)
}

/** @throws Problem 403 for everybody but admins */
function editing(request: FastifyRequest, reply: FastifyReply, name: PolicyName): Editing {
  requireAdmin(request)
  const language = languageAsked(request)
  return {
    place: { courseId: null, name, language },
    path: pathOf(name, language),
    show: (form, status) => showPolicyEditor(request, reply, name, language, form, status),
  }
}

export async function showPolicyEditor(
  request: FastifyRequest,
  reply: FastifyReply,
  name: PolicyName,
  language: Language,
  form: PolicyFormView,
  status: number,
) {
  const t = translatorFor(request)
  const shown = new Set((await request.server.policyLinks(null)).map((link) => link.name))
  const written = await findPolicies(request.server.db, name)
  const isEmpty = (one: Language) => !written.some((policy) => policy.language === one && policy.body !== '')
  return reply.page(
    'policies/edit',
    {
      title: t('policies.edit.title', {
        page: t(`policies.${name}`),
        language: t(`policies.language.${language}`),
      }),
      ...adminNav(contextOf(request), PATH),
      ...form,
      name,
      language,
      pages: POLICY_NAMES.map((value) => ({
        value,
        path: pathOf(value, language),
        isCurrent: value === name,
        isEmpty: !shown.has(value),
      })),
      languages: LANGUAGES.map((value) => ({
        value,
        path: pathOf(name, value),
        isCurrent: value === language,
        isEmpty: isEmpty(value),
      })),
    },
    { ...ADMIN_HEAD, status, showsTexts: true },
  )
}
