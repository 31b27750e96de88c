import type { FastifyRequest } from 'fastify'
import type { Translate } from '../../messages/catalogue.ts'
import { choiceParam, queryParam } from '../../web/params.ts'
import { coursePath, membersPath, pathWith } from '../../web/paths.ts'
import { ROLES } from './form.ts'
import { SHOWN } from './queries.ts'

export interface Removing {
  /** Names or addresses. */
  readonly names: readonly string[]
  /** Of the fields that select them. */
  readonly field: 'person' | 'email'
  readonly values: readonly string[]
}

export interface Selected {
  readonly values: ReadonlySet<string>
  readonly role: string
  /** A message key: what is wrong with the selection. */
  readonly error?: string
  readonly removing?: Removing
}

/** The part of the list that a request is about: tab, search and page. */
export function listPath(request: FastifyRequest, slug: string, act = ''): string {
  const path = act === '' ? membersPath(slug) : `${coursePath(slug)}/${act}`
  const show = choiceParam(request, 'show', SHOWN, 'everybody')
  return pathWith(path, {
    show: show === 'everybody' ? null : show,
    q: queryParam(request, 'q'),
    after: queryParam(request, 'after'),
    before: queryParam(request, 'before'),
  })
}

/** The acts on the selected rows of a list: views/members/_selection.eta. */
export function selectionOf(
  t: Translate,
  request: FastifyRequest,
  slug: string,
  isInvited: boolean,
  selected: Selected | undefined,
) {
  const roles = ROLES.map((value) => ({
    value,
    text: t(`members.role.${value}`),
    selected: value === selected?.role,
  }))
  return {
    // With the query of the list, so that the same part of it comes back.
    action: listPath(request, slug, isInvited ? 'waiting/selection' : 'members/selection'),
    roles: [
      { value: '', text: t('members.selection.role'), selected: (selected?.role ?? '') === '' },
      ...roles,
    ],
    isInvited,
    removing: selected?.removing ?? null,
  }
}
