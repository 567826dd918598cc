/** The dashboard beside the metrics: it asks for what there is, and for all of it. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startTestDaemon } from '../support/daemon.ts'
import { request } from '../support/http.ts'
import { exampleAt } from './program.ts'

interface Dashboard {
  readonly panels: readonly {
    readonly id: number
    readonly gridPos: { readonly x: number; readonly y: number }
    readonly datasource: { readonly uid: string }
    readonly targets: readonly { readonly expr: string }[]
  }[]
  readonly annotations: { readonly list: readonly { readonly expr: string }[] }
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] }
}

const dashboard: Dashboard = JSON.parse(readFileSync(exampleAt('grafana', 'agentd.json'), 'utf8'))

const asked = [
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...dashboard.annotations.list.map(({ expr }) => expr),
]

test('every metric of the dashboard is one that a daemon tells, by its type, and none is left out', async () => {
  await using daemon = await startTestDaemon()
  const { text } = await request(daemon.socket, '/v1/metrics')
  const told = new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type]) => [name, type]),
  )
  const names = new Set(asked.flatMap((expr) => expr.match(/agentd_\w+/g) ?? []))

  expect([...names].toSorted()).toEqual([...told.keys()].toSorted())
  for (const expr of asked) {
    const [name = ''] = /agentd_\w+/.exec(expr) ?? []
    expect([expr, told.get(name)]).toEqual([expr, /^(?:rate|increase)\(/.test(expr) ? 'counter' : 'gauge'])
  }
})

test('its panels have a number and a place of their own, and ask the source that is chosen', () => {
  const { panels, templating } = dashboard

  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x},${y}`)).size).toBe(panels.length)
  expect(new Set(panels.map(({ datasource }) => datasource.uid))).toEqual(new Set(['${datasource}']))
  expect(templating.list).toEqual([expect.objectContaining({ name: 'datasource', type: 'datasource' })])
})
