import { type Document, isMap, isNode, isPair, isScalar, type Node, parseDocument } from "yaml"

/** Largest number of values that aliases of one file stand for, for each of its anchors. */
const MAX_ALIASES = 100

/** A mistake of syntax, at an offset of the text. */
export type SyntaxFault = { sentence: string; offset: number }

/** A text in YAML: its value, or its mistakes. */
export type ReadYaml = { document: Document; value: unknown; faults: readonly SyntaxFault[] }

export function readYaml(text: string): ReadYaml {
  const document = parseDocument(text, { strict: true })
  const faults = [...document.errors, ...document.warnings].map(({ message, pos: [offset] }) => ({
    sentence: (message.split(/ at line \d+/)[0] ?? "").replaceAll("\n", " "),
    offset,
  }))
  if (faults.length > 0) return { document, value: undefined, faults }
  try {
    return { document, value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown, faults }
  } catch (error) {
    return { document, value: undefined, faults: [{ sentence: (error as Error).message, offset: 0 }] }
  }
}

/** Offset of a member's value, or of its name; of the nearest object around it, if the member is missing. */
export function offsetOf(document: Document, path: readonly PropertyKey[], atName: boolean): number {
  const name = atName ? nameNode(document, path) : undefined
  const node = name ?? (path.length === 0 ? document.contents : document.getIn(path, true))
  if (isNode(node) && node.range) return node.range[0]
  return path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1), false)
}

function nameNode(document: Document, path: readonly PropertyKey[]): Node | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  const items = isMap(parent) ? parent.items : []
  const pair = items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === path.at(-1))
  return isNode(pair?.key) ? pair.key : undefined
}

/** `12:5`: line and column of an offset, both counted from 1. */
export function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset)
  return `${before.split("\n").length}:${offset - before.lastIndexOf("\n")}`
}
