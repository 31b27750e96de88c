import { anAnswer, anUnclaimedPerson, asImported } from '../../testing/builders.ts'
import type { Example, Examples } from '../../testing/examples.ts'
import type { SmallForum } from '../../testing/small-forum.ts'

/** Somebody of an import has the asker's address, and answered. */
export async function anOfferToAsker({ db, course, question, asker }: SmallForum): Promise<{ id: number }> {
  const unclaimed = await anUnclaimedPerson(db, course, { email: asker.email })
  await anAnswer(db, { question, author: unclaimed })
  await asImported(db, unclaimed)
  return { id: unclaimed.id }
}

const decided = (decision: string): Example => ({
  find: anOfferToAsker,
  input: { decision },
  wrong: { decision: 'perhaps' },
})

export const CLAIM_EXAMPLES: Examples = {
  'claim-posts': decided('mine'),
  'release-posts': decided('nameless'),
  'refuse-posts': decided('not-mine'),
}
