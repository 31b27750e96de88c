import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Language, POLICY_NAMES, type PolicyName } from '../../database/schema.ts'
import {
  type Editing,
  type PolicyFormView,
  policyDoor,
  showPolicyForm,
} from '../../forum/policies/editing.ts'
import { findPolicies, policyChange } from '../../forum/policies/policy.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { languageOfRequest } from '../../web/appearance.ts'
import { sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { queryParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import { adminPage } from './nav.ts'

const PATH = '/admin/pages'

export function registerPolicyAdmin(app: FastifyInstance): void {
  app.get(PATH, (request, reply) => {
    requireRight(request.person, 'decide-settings', null)
    return reply.redirect(`${PATH}/rules`, 303)
  })
  for (const name of POLICY_NAMES) {
    const path = `${PATH}/${name}`
    app.get(path, async (request, reply) => showPolicyForm(request, reply, editing(request, name)))
    openForm(app, path, policyChange, {
      ...policyDoor((request) => editing(request, name)),
      key: () => null,
      formPage: (request) => pathOf(name, languageAsked(request)),
      input: (request) => ({ ...sentFields(request.body), name, language: languageAsked(request) }),
      done: (_, request) => pathOf(name, languageAsked(request)),
    })
  }
}

const pathOf = (name: PolicyName, language: Language) => pathWith(`${PATH}/${name}`, { language })

function languageAsked(request: FastifyRequest): Language {
  const asked = queryParam(request, 'language')
  return LANGUAGES.find((language) => language === asked) ?? languageOfRequest(request)
}

/** @throws Problem 403 for everybody but admins */
function editing(request: FastifyRequest, name: PolicyName): Editing {
  requireRight(request.person, 'decide-settings', null)
  const language = languageAsked(request)
  return {
    place: { courseId: null, name, language },
    path: pathOf(name, language),
    show: (request, reply, form) => showPolicyEditor(request, reply, name, language, form),
  }
}

export const showPolicyEditor = adminPage(
  'policies/edit',
  PATH,
  async ({ t, db, server }, name: PolicyName, language: Language, form: PolicyFormView) => {
    const shown = new Set((await server.policyLinks(null)).map((link) => link.name))
    const written = await findPolicies(db, name)
    const isEmpty = (one: Language) =>
      !written.some((policy) => policy.language === one && policy.body !== '')
    return {
      title: t('policies.edit.title', {
        page: t(`policies.${name}`),
        language: t(`policies.language.${language}`),
      }),
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
    }
  },
  { showsTexts: true },
)
