/**
 * The types of the client as one file for each entry: what the compiler has declared, as far as an entry shows it, without
 * a dependency.
 *
 * What a schema infers is written out, since zod is not there to infer it. Constructors of classes that nobody can name as
 * a value, and members for heirs, are left out, and with them what they name.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'

/** Path → the declarations of the file, and where its other names come from. */
const modules = new Map()

/** @returns a file's `types` and `values` by name, its `imports` by local name, and its `exports` that declare nothing */
function moduleAt(path) {
  const known = modules.get(path)
  if (known !== undefined) return known
  const text = readFileSync(path, 'utf8')
  const module = { path, text, types: new Map(), values: new Map(), imports: new Map(), exports: [] }
  modules.set(path, module)
  const { program, comments } = parseSync(path, text)
  for (const node of program.body) readStatement(module, node, docBefore(text, node, comments))
  return module
}

function docBefore(text, { start }, comments) {
  const before = comments.findLast(({ end }) => end <= start)
  const isDoc = before?.value.startsWith('*') === true && text.slice(before.end, start).trim() === ''
  return isDoc ? `${text.slice(before.start, before.end)}\n` : ''
}

/** Ids of requirements, and sections of pages: whoever reads the types of a package has neither. */
const REFERENCE = /(?:[A-Z]{1,6}-[A-Z]?\d{1,3}|docs\/[\w./-]+|memo|draft-[\w-]+)?(?: ?§§?[\d., –…]+)?/.source
const IN_BRACKETS = new RegExp(` ?\\((?:${REFERENCE})(?:(?:, |…|; | and )(?:${REFERENCE}))*\\)`, 'g')

/**
 * A text with what its comments point to in words, or left out.
 *
 * @param shownAs - name in the sources → name here, of what is shown under another
 */
function inWords(text, shownAs) {
  return text.replaceAll(/\/\*\*[\s\S]*?\*\//g, (doc) =>
    doc
      .replaceAll(/[A-Za-z]\w+/g, (word) => shownAs.get(word) ?? word)
      .replaceAll(IN_BRACKETS, (found) => (found.trim() === '()' ? found : ''))
      .replaceAll(/\{@link ([\w.]+)\}/g, '`$1`')
      .replaceAll(/\n *\* @see .*/g, ''),
  )
}

function readStatement(module, node, doc) {
  const { type, specifiers = [], source, declaration } = node
  if (type === 'ImportDeclaration') {
    for (const { imported, local } of specifiers)
      module.imports.set(local.name, { from: source.value, name: imported?.name ?? '*' })
  } else if (type === 'ExportNamedDeclaration' && declaration === null) {
    for (const { local, exported, exportKind } of specifiers) {
      const isType = node.exportKind === 'type' || exportKind === 'type'
      module.exports.push({ local: local.name, name: exported.name, from: source?.value, isType })
    }
  } else declare(module, declaration ?? node, doc)
}

function declare(module, node, doc) {
  for (const one of node.type === 'VariableDeclaration' ? node.declarations : [node]) {
    const isType = one.type === 'TSInterfaceDeclaration' || one.type === 'TSTypeAliasDeclaration'
    const name = one.id?.name
    // What a schema infers is said of the schema.
    const said = doc === '' && isType ? (module.values.get(name)?.doc ?? '') : doc
    if (name !== undefined)
      module[isType ? 'types' : 'values'].set(name, { module, node: one, doc: said, name })
  }
}

/** @returns what a name of a file stands for, a type before a value; undefined for what is global */
function find(module, name, isValue = false) {
  const own = isValue ? module.values.get(name) : (module.types.get(name) ?? module.values.get(name))
  if (own !== undefined) return own
  const { from, name: there } = module.imports.get(name) ?? {}
  return from === undefined ? undefined : findFrom(module, { from, name: there }, isValue)
}

function findFrom(module, { from, name }, isValue) {
  if (!from.startsWith('.'))
    throw new Error(`${module.path} shows ${name} of ${from}, and the types of the client depend on nothing.`)
  const target = moduleAt(join(dirname(module.path), from).replace(/\.ts$/, '.d.ts'))
  const passed = target.exports.find((one) => one.name === name)
  if (passed === undefined) return find(target, name, isValue)
  return passed.from === undefined
    ? find(target, passed.local, isValue)
    : findFrom(target, { from: passed.from, name: passed.local }, isValue)
}

/**
 * @param entry - a declaration file whose names are shown
 * @param shared - declaration → its name in another entry's file, from which this one imports it
 * @param beside - that file
 * @returns the text, and the names of what it shows
 */
export function rollUp(entry, shared = new Map(), beside = '') {
  const module = moduleAt(entry)
  const roll = { names: new Map(), constructed: new Set(), imported: new Set(), texts: [], shared }
  const shown = module.exports.map((one) => {
    const found =
      one.from === undefined
        ? find(module, one.local, !one.isType)
        : findFrom(module, { from: one.from, name: one.local }, !one.isType)
    roll.names.set(found, one.name)
    if (!one.isType) roll.constructed.add(found)
    return { found, word: one.isType ? `type ${one.name}` : one.name }
  })
  for (const { found } of shown) write(roll, found)
  const imports = Array.from(roll.imported, String)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join(', ')
  const parts = [
    ...(imports === '' ? [] : [`import type { ${imports} } from '${beside}'`]),
    ...roll.texts,
    `export { ${shown.map(({ word }) => word).join(', ')} }`,
  ]
  const all = [...shared, ...roll.names].map(([{ name }, shownName]) => [name, shownName])
  const shownAs = new Map(all.filter(([name, shownName]) => name !== shownName))
  return {
    text: `${inWords(parts.join('\n\n'), shownAs)}\n`.replaceAll(/^(?: {4})+/gm, ({ length }) =>
      '\t'.repeat(length / 4),
    ),
    names: new Map(shown.map(({ found }) => [found, roll.names.get(found)])),
  }
}

/** Adds a declaration, and whatever it names. */
function write(roll, declaration) {
  const name = roll.names.get(declaration)
  if (roll.shared.has(declaration)) {
    roll.imported.add(name)
    return
  }
  const { node, doc } = declaration
  const place = roll.texts.push('') - 1
  const body = rewrite(roll, declaration, node)
  const isBare = node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration'
  const word = node.type === 'VariableDeclarator' ? 'declare const ' : isBare ? '' : 'declare '
  roll.texts[place] = `${doc}${word}${body.replace(/^declare /, '')}`
}

/** @returns what a declaration is called here; it is added when it is new */
function nameOf(roll, declaration) {
  const known = roll.names.get(declaration)
  if (known !== undefined) return known
  const taken = new Set(roll.names.values())
  let name = roll.shared.get(declaration) ?? declaration.name
  while (taken.has(name)) name += '_'
  roll.names.set(declaration, name)
  write(roll, declaration)
  return name
}

/** A piece of a declaration's text, with every name in it as it is here. */
function rewrite(roll, declaration, node) {
  const { text } = declaration.module
  const edits = []
  collect(roll, declaration, node, edits)
  let result = ''
  let at = node.start
  for (const { start, end, instead } of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, start) + instead
    at = end
  }
  return result + text.slice(at, node.end)
}

function collect(roll, declaration, node, edits) {
  const instead = insteadOf(roll, declaration.module, node)
  if (instead !== undefined) return void edits.push({ start: node.start, end: node.end, instead })
  for (const named of namesIn(declaration, node)) {
    const found = named.isOwn ? declaration : findReference(declaration.module, named)
    if (found === undefined) continue
    edits.push({ start: named.node.start, end: named.node.end, instead: nameOf(roll, found) })
  }
  if (node.type === 'ClassBody') leaveOut(roll, declaration, node, edits)
  for (const child of childrenOf(node)) {
    if (!edits.some(({ start, end }) => start <= child.start && child.end <= end))
      collect(roll, declaration, child, edits)
  }
  return undefined
}

/** @returns the names in a node that stand for declarations: its own, and others */
function namesIn(declaration, { type, id, typeName, expression, superClass }) {
  const isOwn = id !== undefined && id === declaration.node.id
  return [
    ...(isOwn ? [{ node: id, isOwn }] : []),
    ...(type === 'TSTypeReference' ? [{ node: typeName, isValue: false }] : []),
    ...(type === 'TSInterfaceHeritage' || type === 'TSClassImplements'
      ? [{ node: expression, isValue: false }]
      : []),
    ...(type === 'ClassDeclaration' && superClass !== null ? [{ node: superClass, isValue: true }] : []),
  ]
}

function findReference(module, { node, isValue }) {
  if (node.type === 'Identifier') return find(module, node.name, isValue)
  const from = module.imports.get(node.left.name)
  return from?.name === '*'
    ? findFrom(module, { from: from.from, name: node.right.name }, isValue)
    : undefined
}

function childrenOf(node) {
  return Object.values(node)
    .flat()
    .filter((value) => typeof value?.type === 'string')
}

/** What a member is for heirs, or for who constructs what nobody constructs. */
function leaveOut(roll, declaration, { start, body }, edits) {
  let before = start + 1
  for (const { kind, accessibility, end } of body) {
    const isInside = kind === 'constructor' && !roll.constructed.has(declaration)
    const isForHeirs = accessibility === 'protected' || accessibility === 'private'
    if (isInside || isForHeirs) edits.push({ start: before, end, instead: '' })
    before = end
  }
}

/** @returns what stands for a whole node; undefined for one that is looked into */
function insteadOf(roll, module, node) {
  const { type, operator, typeAnnotation, typeName, exprName, objectType, indexType } = node
  if (type === 'TSTypeOperator' && operator === 'keyof' && typeAnnotation.type === 'TSTypeQuery')
    return keysOf(valueType(module, typeAnnotation.exprName))
  if (type === 'TSTypeQuery') {
    const { module: there, node: shape } = valueType(module, exprName)
    return rewrite(roll, { module: there, node: {} }, shape)
  }
  if (type === 'TSIndexedAccessType' && indexType.type === 'TSNumberKeyword') return oneOf(module, objectType)
  // Whoever gets a Buffer gets that; its own type would ask for the types of Node.
  if (type === 'TSTypeReference' && typeName.name === 'Buffer') return 'Uint8Array'
  if (type === 'TSImportType') {
    const found = findFrom(module, { from: node.source.value, name: node.qualifier.name }, false)
    return nameOf(roll, found)
  }
  return type === 'TSTypeReference' && zodName(module, typeName) === 'infer'
    ? outputOf(roll, { module, node: typeArgument(node) })
    : undefined
}

/** The type a constant is declared with, and where. */
function valueType(module, { name }) {
  const { node, module: there } = find(module, name, true)
  return { module: there, node: node.id.typeAnnotation.typeAnnotation }
}

/** What stands in a list of names; undefined for any other type. */
function oneOf(module, { type, typeAnnotation }) {
  if (type !== 'TSParenthesizedType' || typeAnnotation.type !== 'TSTypeQuery') return undefined
  const { module: there, node } = valueType(module, typeAnnotation.exprName)
  const names = node.operator === 'readonly' ? node.typeAnnotation.elementTypes : undefined
  return names?.map(({ start, end }) => there.text.slice(start, end)).join(' | ')
}

function keysOf({ node }) {
  return node.members.map(({ key }) => JSON.stringify(key.name ?? key.value)).join(' | ')
}

/** @returns the name after `z.`; undefined for any other */
function zodName(module, { left, right }) {
  return left !== undefined && module.imports.get(left.name)?.from === 'zod' ? right.name : undefined
}

function typeArgument({ typeArguments }, index = 0) {
  return typeArguments.params[index]
}

/** What zod's types stand for, of those that a schema of a reply or a frame is made of. */
const OUTPUTS = {
  ZodString: () => 'string',
  ZodInt: () => 'number',
  ZodNumber: () => 'number',
  ZodBoolean: () => 'boolean',
  ZodUnknown: () => 'unknown',
  ZodLiteral: (inner) => inner.text(0),
  ZodType: (inner) => inner.text(0),
  ZodEnum: (inner) => keysOf({ node: inner.argument(0) }),
  ZodArray: (inner) => `(${inner.output(0)})[]`,
  ZodOptional: (inner) => `${inner.output(0)} | undefined`,
  ZodNullable: (inner) => `${inner.output(0)} | null`,
  ZodDefault: (inner) => inner.output(0),
  ZodRecord: (inner) => `Record<string, ${inner.output(1)}>`,
  ZodObject: (inner) => membersOf(inner),
  ZodUnion: (inner) => inner.outputs(0).join(' | '),
  ZodDiscriminatedUnion: (inner) => inner.outputs(0).join(' | '),
}

/** What a schema's type gives, written out. */
function outputOf(roll, { module, node }) {
  if (node.type === 'TSTypeQuery') return outputOf(roll, valueType(module, node.exprName))
  const name = node.type === 'TSTypeReference' ? zodName(module, node.typeName) : undefined
  const write = OUTPUTS[name]
  if (write === undefined)
    throw new Error(
      `${module.path}: nothing says what ${module.text.slice(node.start, node.end)} stands for.`,
    )
  const within = (part) => outputOf(roll, { module, node: part })
  return write({
    argument: (index) => typeArgument(node, index),
    text: (index) => rewrite(roll, { module, node: {} }, typeArgument(node, index)),
    output: (index) => within(typeArgument(node, index)),
    outputs: (index) => typeArgument(node, index).elementTypes.map(within),
    within,
  })
}

function membersOf({ argument, within }) {
  const members = argument(0).members.map(({ key, typeAnnotation }) => {
    const output = within(typeAnnotation.typeAnnotation)
    const mark = output.endsWith(' | undefined') ? '?' : ''
    return `${key.name ?? JSON.stringify(key.value)}${mark}: ${output}`
  })
  return `{ ${members.join('; ')} }`
}
