/** A language that the forum speaks: each has a folder of messages. */
export type Language = 'en' | 'ko'

export const LANGUAGES: readonly Language[] = ['en', 'ko']
