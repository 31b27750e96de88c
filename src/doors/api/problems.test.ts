import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { PROBLEM_TYPE, registerProblems } from './routes.ts'

test('what is refused before it comes to an endpoint keeps its status', async (t) => {
  const app = fastify()
  t.after(() => app.close())
  app.decorate('config', { baseUrl: 'https://forum.example' } as never)
  app.decorateRequest('person', null)
  app.decorateRequest('language', () => 'en')
  registerProblems(app)
  app.get('/refused/:status', async ({ params }) => {
    throw Object.assign(new Error('refused'), { statusCode: Number((params as { status: string }).status) })
  })
  const answers = {
    400: 'bad_request',
    405: 'bad_request',
    421: 'bad_request',
    413: 'too_large',
    502: 'broken',
  }
  for (const [sent, code] of Object.entries(answers)) {
    const answer = await app.inject(`/refused/${sent}`)
    const status = code === 'broken' ? 500 : Number(sent)
    assert.equal(answer.statusCode, status)
    assert.equal(answer.headers['content-type'], PROBLEM_TYPE)
    assert.deepEqual({ status: answer.json().status, code: answer.json().code }, { status, code })
    assert.equal(answer.json().type, `https://forum.example/api#problem-${code}`)
  }
})
