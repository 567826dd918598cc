import { expect, test } from 'vitest'
import { DISMISSED, requestOf, verbRequest, type NeedAnswer } from '../../../../src/ui/seat/needs/answers.ts'
import { readApprovalTask } from '../../../../src/ui/seat/needs/approval.ts'
import { aroundOptions, readDecisionQuestion } from '../../../../src/ui/seat/needs/decision.ts'
import { readNeed } from '../../../../src/ui/seat/needs/need.ts'
import { decisionFrame, need, NOON_MS } from '../../support/wire.ts'

const SEAT = { entity: 'human.alice', newId: () => 'id-00001', nowMs: () => NOON_MS }

const TASK = { id: 'task-0001', intent: 'ops.deploy', from: 'agent.api', hash: 'sha-256:ab' }

const APPROVAL = {
  v: '1',
  id: 'ask-00001',
  type: 'task',
  from: 'agent.auditor',
  to: 'human.alice',
  intent: 'approval.request',
  corr: 'corr-0001',
  payload: { task: TASK, summary: 'Deploy to production' },
}

function asked(type: string, answer: NeedAnswer, more: Parameters<typeof need>[1] = {}) {
  const found = readNeed(need('n1', { type, ...more }))
  return found && requestOf(found, answer, SEAT)
}

test('an answer to a question names the question and goes where it asked for (SEAT-21)', () => {
  const request = asked('question', { by: 'text', text: 'Yes.' }, { frame: { frame_id: 'f1' } })

  expect(request).toEqual(
    verbRequest('agent_respond', { query_id: 'n1', text: 'Yes.', responded_to_frame_id: 'f1' }),
  )
  expect(request).toMatchObject({ method: 'POST', path: '/v1/verbs/agent_respond' })
})

test.for([
  [{ kind: 'option', index: 1, label: 'Drop it now', note: undefined }, 'option: Drop it now'],
  [aroundOptions('other', 'Rename it'), 'other: Rename it'],
  [aroundOptions('revise', 'Ask mobile\nthey know'), 'revise: Ask mobile\nthey know'],
] as const)('%j goes back to whoever asked as %j (W-9)', ([decision, text]) => {
  const request = asked('decision', { by: 'decision', decision }, { frame: decisionFrame() })

  expect(request?.body).toMatchObject({ query_id: 'n1', text, recipient_scope: '~alice/cc@s1' })
})

test('a decision is shown with its options by number and both hatches, unless it closed one (SEAT-21)', () => {
  const open = readDecisionQuestion(decisionFrame())
  const closed = readDecisionQuestion(decisionFrame({ hatches: { free_text: false }, recommended_idx: 2 }))

  expect(open).toMatchObject({ stem: 'What shall I do with it?', takesOther: true, takesRevision: true })
  expect(open.options.map(({ key, label, isRecommended }) => [key, label, isRecommended])).toEqual([
    ['1', 'Keep it one release', true],
    ['2', 'Drop it now', false],
    ['3', 'Make it a view', false],
  ])
  expect(closed).toMatchObject({ takesOther: false, takesRevision: true })
})

test('a frame that holds no question has no options, and is no error (SEAT-21)', () => {
  expect(readDecisionQuestion({})).toMatchObject({ stem: '', options: [], takesOther: true })
})

test.for([true, false])(
  'a verdict %j names the task and its hash as they were asked about (SEAT-11)',
  (isApproved) => {
    const request = asked('approval', { by: 'verdict', isApproved, note: '' }, { envelope: APPROVAL })

    expect(request).toEqual({
      method: 'POST',
      path: '/v1/envelopes',
      body: {
        v: '1',
        id: 'id-00001',
        ts: '2026-11-22T12:00:00.000Z',
        type: 'result',
        from: 'human.alice',
        to: 'agent.auditor',
        intent: 'approval.request',
        corr: 'corr-0001',
        reply_to: 'ask-00001',
        priority: 'normal',
        payload: { approved: isApproved, task: { id: TASK.id, hash: TASK.hash } },
      },
    })
  },
)

test('what is asked to be approved is read with its hash (SEAT-11)', () => {
  expect(readApprovalTask(APPROVAL)).toEqual({
    intent: 'ops.deploy',
    from: 'agent.api',
    hash: 'sha-256:ab',
    summary: 'Deploy to production',
  })
})

test('a dismissal tells whoever asked that no answer comes, by the way it asked (SEAT-12)', () => {
  const dismissal = { by: 'dismissal', why: DISMISSED } as const

  expect(asked('question', dismissal)).toMatchObject({
    path: '/v1/verbs/agent_return',
    body: { query_id: 'n1', summary: DISMISSED, recipient_scope: '~alice/cc@s1' },
  })
  const elsewhere = { frame: { payload: { response_scope: '~alice/*' } } }
  expect(asked('question', dismissal, elsewhere)?.body).toMatchObject({ recipient_scope: '~alice/cc@s1' })
  const nobodys = { ...elsewhere, from: { address: null } }
  expect(asked('question', dismissal, nobodys)?.body).toMatchObject({ recipient_scope: '~alice/*' })
  expect(asked('decision', dismissal, { from: { address: null } })?.body).not.toHaveProperty(
    'recipient_scope',
  )
  expect(asked('task', dismissal, { envelope: APPROVAL })?.body).toMatchObject({
    type: 'error',
    reply_to: 'ask-00001',
    payload: { code: 'E_REJECTED', message: DISMISSED },
  })
})

test('a prompt of a session cannot be answered from here, nor a question by a verdict (SEAT-10)', () => {
  expect(asked('prompt', { by: 'text', text: 'go on' })).toBeUndefined()
  expect(asked('question', { by: 'verdict', isApproved: true, note: '' })).toBeUndefined()
  expect(asked('approval', { by: 'text', text: 'yes' }, { envelope: APPROVAL })).toBeUndefined()
})
