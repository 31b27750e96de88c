import { type SampleCourse, SampleError, type SamplePost, type SampleQuestion } from './sample-course.ts'

/**
 * That a sample's files agree with each other: people and lectures exist, nobody votes on an own post or twice, one
 * answer at most is accepted, nothing is written before what it stands under, and addresses are each one person's.
 * @param courseFile named in the message when the course itself is wrong
 * @throws SampleError naming the file
 */
export function checkIntegrity(course: SampleCourse, courseFile: string): void {
  const emails = [...course.people, course.admin].map((person) => person.email)
  const twice = emails.find((email, index) => emails.indexOf(email) < index)
  if (twice !== undefined) throw new SampleError(`${courseFile}: ${twice} stands twice`)
  const people = new Set(course.people.map((person) => person.key))
  const lectures = new Set(course.lectures.map((lecture) => lecture.position))
  for (const question of course.questions) {
    const wrong = faults(question, people, lectures)[0]
    if (wrong !== undefined) throw new SampleError(`${question.file}: ${wrong}`)
  }
}

function faults(question: SampleQuestion, people: Set<string>, lectures: Set<number>): string[] {
  const { answers, lecture } = question
  const replies = [...question.replies, ...answers.flatMap((answer) => answer.replies)]
  return [
    ...[question, ...answers, ...replies].flatMap((post) => strangers([post.author], people)),
    ...[question, ...answers].flatMap((post) => voteFaults(post, people)),
    ...(lecture === null || lectures.has(lecture) ? [] : [`the course has no lecture ${lecture}`]),
    ...(answers.filter((answer) => answer.isAccepted).length > 1 ? ['more than one answer is accepted'] : []),
    ...orderFaults([question, ...answers]),
    ...[question, ...answers].flatMap((post) => orderFaults([post, ...post.replies])),
  ]
}

function voteFaults(post: SamplePost & { readonly votes: readonly string[] }, people: Set<string>): string[] {
  return [
    ...strangers(post.votes, people),
    ...(post.votes.includes(post.author) ? [`${post.author} votes on an own post`] : []),
    ...(new Set(post.votes).size < post.votes.length
      ? [`somebody votes twice on ${post.author}'s post`]
      : []),
  ]
}

function strangers(keys: readonly string[], people: Set<string>): string[] {
  return keys.filter((key) => !people.has(key)).map((key) => `the course has nobody called ${key}`)
}

/** Posts in the order in which they stand; each must be later, that is fewer hours ago, than the one before. */
function orderFaults(posts: readonly SamplePost[]): string[] {
  return posts.flatMap((post, index) => {
    const before = posts[index - 1]
    if (before === undefined || post.hoursAgo < before.hoursAgo) return []
    return [
      `${post.author}'s post of ${post.hoursAgo} hours ago stands after one of ${before.hoursAgo} hours ago`,
    ]
  })
}
