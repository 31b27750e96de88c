import { idOf, writing } from '../../web/json/endpoint.ts'
import { answerResource } from '../answers/resource.ts'
import { answeredBy } from '../reading/post-resource.ts'
import { replyResource } from '../replies/resource.ts'
import { CONVERSIONS } from './conversion.ts'

const converting = { method: 'POST', isForStaff: true, key: idOf } as const

export const conversionEndpoints = [
  writing({
    ...{ ...converting, path: '/replies/:id/conversion', name: 'convertReply', tag: 'replies' },
    operation: CONVERSIONS.replies,
    ...answeredBy('created', answerResource),
  }),
  writing({
    ...{ ...converting, path: '/answers/:id/conversion', name: 'convertAnswer', tag: 'answers' },
    operation: CONVERSIONS.answers,
    body: { fields: CONVERSIONS.answers.input, required: [] },
    ...answeredBy('created', replyResource),
  }),
]
