/**
 * The mutation operators: for one node of a syntax tree, the small changes a careless hand could have made.
 *
 * A change is `{ start, end, text, what }`: offsets into the source, what stands there instead, and a few words.
 */

/** What a comparison becomes: its boundary moved, and itself turned round. */
const COMPARISONS = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
}

const ARITHMETIC = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' }

const ASSIGNMENTS = { '+=': '-=', '-=': '+=', '??=': '=' }

/** Which condition each statement or expression hangs on. */
const CONDITIONS = new Set(['IfStatement', 'ConditionalExpression', 'WhileStatement', 'ForStatement'])

/** Operators of conditions that have a mutation of their own, so that a negation would be the same again. */
const TURNED_BY_THEMSELVES = new Set([...Object.keys(COMPARISONS), '&&', '||'])

/** The changes at one node; the source is there to quote from. */
export function changesAt(node, source) {
  const found = OPERATORS[node.type]?.(node, source) ?? []
  return CONDITIONS.has(node.type) ? [...found, ...negate(node.test, source)] : found
}

const OPERATORS = {
  BinaryExpression: (node, source) => {
    const { operator } = node
    if (operator in COMPARISONS) return COMPARISONS[operator].map((to) => exchange(node, source, to))
    if (!(operator in ARITHMETIC) || isText(node.left) || isText(node.right)) return []
    return [exchange(node, source, ARITHMETIC[operator])]
  },
  LogicalExpression: (node, source) => {
    if (node.operator === '??') return [keep(node, node.left, source, 'drop the fallback')]
    return [exchange(node, source, node.operator === '&&' ? '||' : '&&')]
  },
  AssignmentExpression: (node, source) =>
    node.operator in ASSIGNMENTS ? [exchange(node, source, ASSIGNMENTS[node.operator])] : [],
  UnaryExpression: (node, source) =>
    node.operator === '!' ? [keep(node, node.argument, source, 'drop the negation')] : [],
  Literal: ({ start, end, value }) => {
    if (typeof value === 'boolean') return [change(start, end, String(!value), `${value} → ${!value}`)]
    if (typeof value !== 'number') return []
    return [value + 1, value - 1].map((to) => change(start, end, `(${to})`, `${value} → ${to}`))
  },
  MemberExpression: (node, source) => {
    const text = source.slice(node.start, node.end)
    if (text === 'Math.min') return [change(node.start, node.end, 'Math.max', 'Math.min → Math.max')]
    if (text === 'Math.max') return [change(node.start, node.end, 'Math.min', 'Math.max → Math.min')]
    return []
  },
  ExpressionStatement: ({ start, end, expression, directive }) => {
    if (directive !== undefined && directive !== null) return []
    // A constructor without its `super` is no mutant but a syntax error.
    if (expression.type === 'CallExpression' && expression.callee.type === 'Super') return []
    return [change(start, end, ';', 'remove the statement')]
  },
  ReturnStatement: ({ start, end, argument }) =>
    argument === null ? [] : [change(start, end, 'return undefined', 'return undefined')],
  ArrowFunctionExpression: ({ body, expression }) =>
    expression ? [change(body.start, body.end, 'undefined', 'return undefined')] : [],
}

function change(start, end, text, what) {
  return { start, end, text, what }
}

/** Another operator between the same two. */
function exchange({ left, right, operator }, source, to) {
  const at = source.indexOf(operator, left.end)
  const text = `${source.slice(left.end, at)}${to}${source.slice(at + operator.length, right.start)}`
  return change(left.end, right.start, text, `${operator} → ${to}`)
}

/** A part instead of the whole. */
function keep(node, part, source, what) {
  return change(node.start, node.end, source.slice(part.start, part.end), what)
}

function negate(test, source) {
  if (test === null || TURNED_BY_THEMSELVES.has(test.operator) || test.operator === '!') return []
  const text = `!(${source.slice(test.start, test.end)})`
  return [change(test.start, test.end, text, 'negate the condition')]
}

function isText({ type, value }) {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string')
}
