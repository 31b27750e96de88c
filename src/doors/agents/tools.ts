import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { AgentScope } from '../../accounts/apps/agent-access.ts'
import { POST_BODY } from '../../forum/posts/form.ts'
import { draftAnswer } from './drafting.ts'
import { answerSchema, hitSchema, questionSchema } from './quoted.ts'
import { listWaiting, readQuestion, searchQuestions, similarQuestions } from './reading.ts'

type Given = Readonly<Record<string, unknown>>

/** Something that an agent can ask for. What it is called and does is told by messages: agents.tool.NAME. */
export interface Tool {
  readonly name: string
  readonly scope: AgentScope
  /** Over public courses it works without a token. */
  readonly isPublic: boolean
  readonly writes: boolean
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  run(request: FastifyRequest, given: Given): Promise<Given>
}

function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  made: Pick<Tool, 'name' | 'scope' | 'isPublic' | 'writes'> & {
    readonly input: Input
    readonly output: Output
    readonly run: (request: FastifyRequest, given: z.output<Input>) => Promise<z.input<Output>>
  },
): Tool {
  return { ...made, run: (request, given) => made.run(request, made.input.parse(given)) }
}

const reading = { scope: 'read', isPublic: true, writes: false } as const
const course = z.string().min(1).max(100)
const questions = z.object({ questions: z.array(hitSchema) })

/** Always all of them, in this order, for whoever asks: who may call one is told by the call. */
export const TOOLS: readonly Tool[] = [
  tool({
    name: 'search_questions',
    ...reading,
    input: z.strictObject({ query: z.string().min(1).max(500), course: course.optional() }),
    output: questions,
    run: searchQuestions,
  }),
  tool({
    name: 'read_question',
    ...reading,
    input: z.strictObject({ id: z.int().min(1) }),
    output: z.object({ question: questionSchema, answers: z.array(answerSchema), has_more: z.boolean() }),
    run: readQuestion,
  }),
  tool({
    name: 'similar_questions',
    ...reading,
    input: z.strictObject({ title: z.string().min(3).max(300), course: course.optional() }),
    output: questions,
    run: similarQuestions,
  }),
  tool({
    name: 'list_waiting',
    ...{ scope: 'waiting', isPublic: false, writes: false },
    input: z.strictObject({ course }),
    output: z.object({
      waiting: z.array(
        z.object({
          ...{ id: z.int(), url: z.string(), lecture: z.int().nullable(), votes: z.int() },
          ...{ waiting_since: z.string(), is_overdue: z.boolean(), is_assigned: z.boolean() },
          quoted: z.object({ title: z.string() }),
        }),
      ),
      has_more: z.boolean(),
    }),
    run: listWaiting,
  }),
  tool({
    name: 'draft_answer',
    ...{ scope: 'draft', isPublic: false, writes: true },
    input: z.strictObject({
      question: z.int().min(1),
      // Counted in characters, by the operation.
      body: z.string().min(1).meta({ maxLength: POST_BODY.max }),
    }),
    output: z.object({ is_saved: z.boolean(), url: z.string() }),
    run: draftAnswer,
  }),
]
