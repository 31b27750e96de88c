/** Moderation depends on neither: staff read every case of their course, and decide in archived courses too. */
export const ANY_STATE = { isPublic: true, isOpen: false, isArchived: false } as const
