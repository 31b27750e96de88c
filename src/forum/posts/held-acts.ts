import { pathWith } from '../../web/paths.ts'

/** What staff do with a held post, or with its author, as buttons. */
export type HeldActs = ReturnType<typeof heldActs>

/**
 * @param path of the post: `/answers/12`
 * @param what names it beside its buttons
 * @param queue where one comes back to, and once it is rejected; null: to the post
 * @param spammerPath null: the viewer may not mark its author as a spammer
 */
export const heldActs = (
  path: string,
  what: string,
  queue: { readonly path: string; readonly rejected: string } | null,
  spammerPath: string | null,
) => ({
  ...{ what, back: queue?.path ?? null, spammerPath },
  releasePath: `${path}/release`,
  rejectPath: pathWith(`${path}/rejection`, { back: queue?.rejected ?? null }),
})
