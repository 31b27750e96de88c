import type { Generated, GeneratedAlways } from 'kysely'

interface SearchDocuments {
  question_id: number
  course_id: number
  /** questions.state. */
  state: number
  /** A tsvector in its text form. */
  terms: string
  score: Generated<number>
  terms_version: number
  /** src/forum/search/places.ts */
  places: GeneratedAlways<number[]>
}

interface SearchTerms {
  term: string
  documents_count: number
}

interface SearchWords {
  word: string
  questions_count: number
}

/** Search documents and statistics of their terms. */
export interface SearchTables {
  search_documents: SearchDocuments
  search_terms: SearchTerms
  search_words: SearchWords
}
