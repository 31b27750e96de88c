/** What moderating a course does not depend on: whoever is its staff reads it, and it goes on when it is archived. */
export const ANY_STATE = { isPublic: true, isOpen: false, isArchived: false } as const
