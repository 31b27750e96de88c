/** What a post of an export of Ed has, apart from what a test says of it. */
const AT = '2026-02-01T10:00:00+09:00'

type Members = Readonly<Record<string, unknown>>

/** Somebody of an export of Ed. */
export const edUser = (name: string, role = 'student'): Members => ({
  name,
  email: `${name.toLowerCase().replaceAll(' ', '.')}@example.org`,
  role,
})

/** A text as Ed has it. */
export const edDocument = (xml: string) => `<document version="2.0">${xml}</document>`

/** A thread of `threads.json`, by the number in its address. */
export function anEdThread(id: number, members: Members = {}): Members {
  return {
    ...{
      url: `https://edstem.org/us/courses/7/discussion/${id}`,
      type: 'question',
      number: id - 38,
      title: 'Loop?',
    },
    ...{ category: 'HW1', subcategory: '', subsubcategory: '', votes: 1, views: 9, unique_views: 5 },
    ...{ private: false, anonymous: false, endorsed: false, created_at: AT, user: edUser('Mina Ha') },
    ...{ text: 'Why?', document: edDocument('<paragraph>Why?</paragraph>'), comments: [], answers: [] },
    ...members,
  }
}

/** An answer or comment of it. @param thread the number of its thread */
export function anEdComment(thread: number, id: number, members: Members = {}): Members {
  return {
    url: `https://edstem.org/us/courses/7/discussion/${thread}?comment=${id}`,
    ...{
      votes: 0,
      created_at: `2026-02-01T11:00:${String(id % 60).padStart(2, '0')}+09:00`,
      user: edUser('Jun'),
    },
    ...{ text: 'See 2.1', document: edDocument('<paragraph>See 2.1</paragraph>') },
    ...{ endorsed: false, anonymous: false, comments: [] },
    ...members,
  }
}
