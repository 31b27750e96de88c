import { pathWith } from '../../web/paths.ts'

/** What staff do with a held post, as buttons. */
export type HeldActs = ReturnType<typeof heldActs>

/**
 * @param path of the post: `/answers/12`
 * @param what names it beside its buttons
 * @param back where one comes back to; null: to the post
 */
export const heldActs = (path: string, what: string, back: string | null) => ({
  ...{ what, back },
  releasePath: `${path}/release`,
  rejectPath: pathWith(`${path}/rejection`, { back }),
})
