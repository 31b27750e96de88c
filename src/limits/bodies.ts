/** Bytes of a form's body: 30,000 characters of four bytes, each written as %XX, and the small fields beside them. */
export const BODY_LIMIT = 512 * 1024

/** Fields of a form. */
export const FIELDS_LIMIT = 50
/** Fields of a form in which rows of a page are selected. */
export const SELECTION_FIELDS_LIMIT = 256
