import { mkdir, rename, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Document, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from "yaml"
import { isObject } from "../terminal-client/json.ts"
import { readDocument } from "./read-file.ts"

const HEAD = ` An organization as code: docs/organization-as-code.md.
 countersign config diff FILE shows what would change, countersign config apply FILE changes it.`

/** Lines are not folded: expressions stay as they are written. */
const FORM = { lineWidth: 0, indentSeq: true, flowCollectionPadding: false } as const

/** The text of a new file. */
export function textOfNew(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  document.commentBefore = HEAD
  separateSections(document)
  return document.toString(FORM)
}

/**
 * Writes the value to a file. Comments, order and style of a file that exists stay: only what differs is changed. Returns
 * true if the file changed.
 */
export async function updateFile(path: string, value: object): Promise<boolean> {
  const document = await readDocument(path)
  if (document === undefined || !isMap(document.contents)) return replaceFile(path, textOfNew(value))
  const before = document.toString(FORM)
  mergeMap(document, document.contents, value as Members)
  const after = document.toString(FORM)
  return after === before ? false : replaceFile(path, after)
}

async function replaceFile(path: string, text: string): Promise<true> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
  return true
}

type Members = { readonly [member: string]: unknown }

function separateSections(document: Document): void {
  const sections = isMap(document.contents) ? document.contents.items : []
  for (const { key } of sections.slice(1)) if (isScalar(key)) key.spaceBefore = true
}

function mergeMap(document: Document, map: YAMLMap, value: Members): void {
  const kept = map.items.filter((pair) => Object.hasOwn(value, keyOf(pair)))
  if (kept.length < map.items.length) map.items = kept
  for (const [name, wanted] of Object.entries(value)) {
    const pair = map.items.find((one) => keyOf(one) === name)
    if (pair === undefined) map.add(document.createPair(name, wanted))
    else pair.value = merged(document, pair.value as Node | null, wanted)
  }
}

function mergeSeq(document: Document, seq: YAMLSeq, value: readonly unknown[]): void {
  const before = seq.items as Node[]
  // An empty list is written `[]`, which would hold its first items too.
  if (before.length === 0) seq.flow = value.length === 0
  const at = new Map(before.map((node, index) => [identityOf(toValue(node, document)), index]))
  const found = value.map((wanted) => ({ wanted, index: at.get(identityOf(wanted)) }))
  const kept = found
    .filter((one): one is { wanted: unknown; index: number } => one.index !== undefined)
    .toSorted((a, b) => a.index - b.index)
  seq.items = [
    ...kept.map(({ wanted, index }) => merged(document, before[index] ?? null, wanted)),
    ...found.filter(({ index }) => index === undefined).map(({ wanted }) => document.createNode(wanted)),
  ]
}

/** The node with the wanted value; the same one, if it has it already or can take it. */
function merged(document: Document, node: Node | null, wanted: unknown): Node {
  if (isMap(node) && isObject(wanted)) {
    mergeMap(document, node, wanted)
    return node
  }
  if (isSeq(node) && Array.isArray(wanted)) {
    mergeSeq(document, node, wanted)
    return node
  }
  if (node !== null && isSame(toValue(node, document), wanted)) return node
  const made = document.createNode(wanted) as Node
  if (node?.commentBefore) made.commentBefore = node.commentBefore
  if (node?.comment) made.comment = node.comment
  return made
}

/** Members that distinguish objects of the file. */
const IDENTITIES = [
  "userName",
  "policyName",
  "publicKey",
  "credentialId",
  "subject",
  "mfaPolicyName",
  "sessionProfileName",
  "identifier",
  "smartContractAddress",
  "privateKeyTagName",
  "templateName",
  "cidr",
  "eventType",
  "name",
]

/** A text that distinguishes the items of a list. */
function identityOf(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value)
  if (Object.hasOwn(value, "clientId")) return JSON.stringify(value)
  if (Object.hasOwn(value, "onrampProvider"))
    return JSON.stringify([value["onrampProvider"], value["sandboxMode"] === true])
  const name = IDENTITIES.find((one) => Object.hasOwn(value, one))
  return JSON.stringify(name === undefined ? value : value[name])
}

/** True for equal values. White space around a text is ignored, because a block of YAML adds some. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === "string" && typeof other === "string") return one.trim() === other.trim()
  return JSON.stringify(one) === JSON.stringify(other)
}

function toValue(node: unknown, document: Document): unknown {
  return (node as Node).toJS(document)
}

function keyOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key)
}
