import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toHops } from '../../../src/aee/thread/hops.ts'
import { formatMermaid } from '../../../src/aee/thread/mermaid.ts'
import { threadItem as item } from '../../support/thread-items.ts'

describe('a Mermaid diagram', () => {
  /** The one grammar a line of ours has; a label holds nothing but plain characters and references. */
  const LABEL = String.raw`(?:[A-Za-z0-9 ._()/+-]|#\d+;)+`
  const LINE = new RegExp(
    String.raw`^(?:sequenceDiagram|  participant p\d+ as ${LABEL}|  p\d+(?:->>|-->>|-\)|--x|--\))p\d+: ${LABEL}|)$`,
  )

  test('a word of a name can be no word of the diagram', () => {
    const text = formatMermaid(
      toHops([
        item(0, { from: 'end', to: 'a;b', intent: 'loop\nend' }),
        item(1, { from: 'x as y', to: '%%{init:{}}%%', intent: '#59;END: wrap' }),
        item(2, { from: ' ', to: '\u200b', intent: '<script>' }),
      ]),
    )

    expect(text.split('\n').slice(0, 8)).toEqual([
      'sequenceDiagram',
      '  participant p0 as e#110;d',
      '  participant p1 as a#59;b',
      '  participant p2 as x as y',
      '  participant p3 as #37;#37;#123;init#58;#123;#125;#125;#37;#37;',
      '  participant p4 as #63;',
      '  participant p5 as #63;',
      expect.stringMatching(/^ {2}p0->>p1: task loop #9166; e#110;d \(open\)$/),
    ])
    expect(text).not.toMatch(/\bend\b/i)
  })

  test('whatever the names are, each line is a line of the grammar', () => {
    const name = fc.string({ minLength: 1, maxLength: 40, unit: 'binary' })
    const intent = fc.string({ minLength: 3, maxLength: 40, unit: 'binary' })
    const envelopes = fc.array(fc.record({ from: name, to: name, intent: intent }), { maxLength: 5 })
    fc.assert(
      fc.property(envelopes, (drafts) => {
        const items = drafts
          .filter(({ intent: text }) => Array.from(text).length >= 3)
          .map((draft, index) => item(index, draft))
        for (const line of formatMermaid(toHops(items)).split('\n')) {
          expect(line).toMatch(LINE)
          expect(line).not.toMatch(/\bend\b/i)
        }
      }),
    )
  })

  test('time goes downwards, and every type has its arrow', () => {
    const items = [
      item(0, { id: 'task-0001' }),
      item(40, { type: 'error', replyTo: 'task-0001' }),
      item(10, { type: 'stream', replyTo: 'task-0001' }),
      item(30, { type: 'result', replyTo: 'task-0001' }),
      item(20, { type: 'event' }),
    ]

    const arrows = formatMermaid(toHops(items)).match(/-[->)x]+(?=p\d:)/g)

    expect(arrows).toEqual(['->>', '--)', '-)', '-->>', '--x'])
  })
})
