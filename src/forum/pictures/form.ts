/** Characters of what is said of a picture, for those who do not see it. */
export const ALT = { min: 0, max: 300 } as const
