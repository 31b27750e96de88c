/** What is noted of a pin, which has an end here. */
export const PINNED = 'questions that were pinned there without an end: not pinned here'
