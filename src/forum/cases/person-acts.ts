import type { Role } from '../../database/schema.ts'
import { type Actor, may } from '../../rights/rights.ts'
import { mayHandle } from './handlers.ts'
import { reportPath } from './report-page.ts'

/** Acts of staff about a person, and the address to report them: views/cases/_person-acts.eta. */
export interface PersonActs {
  /** null: one's own profile. */
  readonly reportPath: string | null
  /** Where admins open a case about the profile; null: others. */
  readonly openCasePath: string | null
  /** The base of the forms' addresses; the act follows it. */
  readonly path: string
  /** Courses, and everywhere as an empty value; none: the viewer moderates nowhere where the person is. */
  readonly places: readonly { readonly value: string; readonly text: string | null }[]
}

interface ProfileOf {
  readonly id: number
  readonly isAdmin: boolean
  readonly roles: readonly {
    readonly id: number
    readonly slug: string
    readonly title: string
    readonly role: Role
  }[]
}

/** The acts that a profile offers its viewer. */
export function personActs(viewer: Actor | null, { id, isAdmin, roles }: ProfileOf): PersonActs {
  const inCourse = roles.filter(({ id: courseId, role }) =>
    mayHandle(viewer, { personId: id, role, isAdmin, courseId, isForAdmins: false }),
  )
  const isEverywhere = viewer !== null && viewer.id !== id && may(viewer, 'moderate-forum')
  return {
    reportPath: viewer?.id === id ? null : reportPath({ about: 'person', id }),
    openCasePath: isEverywhere ? reportPath({ about: 'person', id }, 'open-case') : null,
    path: `/people/${id}`,
    places: [
      ...inCourse.map(({ slug, title }) => ({ value: slug, text: title })),
      ...(isEverywhere ? [{ value: '', text: null }] : []),
    ],
  }
}
