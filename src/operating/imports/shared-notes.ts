/** What is noted of questions at the top of a list, where they stay until a day here. */
export const ON_TOP = 'questions that were kept at the top there: here they are not'
