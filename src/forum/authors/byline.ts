import type { Role } from '../../database/schema.ts'
import { type Face, faceOf } from '../../text/face.ts'
import { personPath } from '../../web/paths.ts'

/** Who wrote something, as the database knows them. */
export interface Author {
  readonly id: number
  readonly displayName: string
  /** In the post's course; null: no member. */
  readonly role: Role | null
}

/** Who wrote something, as one viewer sees them: views/components/_byline.eta and _avatar.eta. */
export interface Byline extends Face {
  readonly text: string
  /** Of the profile; null: the viewer may not know who it is. */
  readonly path: string | null
}

/** The one function that turns an author into a name. */
export function bylineOf(author: Author): Byline {
  const { id, displayName, role } = author
  return {
    ...faceOf(author),
    text: displayName,
    path: personPath({ id, displayName }),
    role: role === 'instructor' || role === 'assistant' ? role : null,
  }
}
