// The language a second time: a tree of its own, written as text and walked naively over plain data. It shares
// nothing with the engine, so that a mistake would have to be made twice.

export type Tree =
  | { is: "literal"; value: boolean | number | string }
  /** An integer in quotes. */
  | { is: "quoted"; value: number }
  /** Fields by dots; the first words are the root. */
  | { is: "path"; path: string }
  | { is: "variable"; name: string }
  | { is: "list"; items: Tree[] }
  | { is: "not"; operand: Tree }
  | { is: "and" | "or"; parts: Tree[] }
  | { is: "compare"; sign: "==" | "!=" | "<" | ">" | "<=" | ">="; left: Tree; right: Tree }
  | { is: "in" | "contains"; item: Tree; list: Tree }
  | { is: "any" | "all" | "filter"; list: Tree; variable: string; body: Tree }
  | { is: "count"; list: Tree; bare: boolean }
  | { is: "bracket"; object: Tree; key: Tree }
  | { is: "slice"; object: Tree; from: number; to: number }
  | { is: "fold"; operand: Tree }

/** A value: text says whether it has case. */
export type Datum =
  | boolean
  | number
  | { text: string; folded?: true }
  | Datum[]
  | { byKey: { [key: string]: Datum } }

/** Values of full paths, such as `eth.tx.value`; what is not there is an error. */
export type Data = { [path: string]: Datum }

class Wrong extends Error {}

/** True, false, or "error" where anything in it goes wrong. */
export function interpret(tree: Tree, data: Data): boolean | "error" {
  try {
    return truth(walk(tree, data, {}))
  } catch (error) {
    if (error instanceof Wrong) return "error"
    throw error
  }
}

function walk(tree: Tree, data: Data, variables: Data): Datum {
  const at = (part: Tree) => walk(part, data, variables)
  switch (tree.is) {
    case "literal":
      return typeof tree.value === "string" ? { text: tree.value } : tree.value
    case "quoted":
      return tree.value
    case "path":
      return data[tree.path] ?? wrong()
    case "variable":
      return variables[tree.name] ?? wrong()
    case "list":
      return tree.items.map(at)
    case "not":
      return !truth(at(tree.operand))
    case "and":
      return tree.parts.map((part) => truth(at(part))).every((value) => value)
    case "or":
      return tree.parts.map((part) => truth(at(part))).some((value) => value)
    case "compare":
      return compared(tree.sign, ...beside(tree.left, at(tree.left), tree.right, at(tree.right)))
    case "in":
    case "contains": {
      const item = at(tree.item)
      const items = tree.list.is === "list" ? tree.list.items : []
      return elements(at(tree.list))
        .map((element, index) => equal(...beside(tree.item, item, items[index], element)))
        .some((value) => value)
    }
    case "any":
    case "all":
    case "filter": {
      const list = elements(at(tree.list))
      const holds = list.map((one) => truth(walk(tree.body, data, { ...variables, [tree.variable]: one })))
      if (tree.is === "filter") return list.filter((_, index) => holds[index])
      return tree.is === "any" ? holds.includes(true) : !holds.includes(false)
    }
    case "count":
      return elements(at(tree.list)).length
    case "bracket":
      return inBrackets(at(tree.object), at(tree.key))
    case "slice":
      return sliced(at(tree.object), tree.from, tree.to)
    case "fold": {
      const { text } = asText(at(tree.operand))
      return { text: lower(text) }
    }
    default:
      return tree satisfies never
  }
}

/** Two values to be compared; digits that are written as text stand for their integer beside an integer. */
function beside(left: Tree, one: Datum, right: Tree | undefined, other: Datum): [Datum, Datum] {
  return [
    typeof other === "number" ? integerIn(left, one) : one,
    typeof one === "number" ? integerIn(right, other) : other,
  ]
}

function integerIn(tree: Tree | undefined, value: Datum): Datum {
  const digits = tree?.is === "literal" ? tree.value : undefined
  return typeof digits === "string" && /^-?[0-9]+$/.test(digits) ? Number(digits) : value
}

function compared(sign: string, one: Datum, other: Datum): boolean {
  if (sign === "==") return equal(one, other)
  if (sign === "!=") return !equal(one, other)
  if (typeof one !== "number" || typeof other !== "number") return wrong()
  if (sign === "<") return one < other
  if (sign === ">") return one > other
  return sign === "<=" ? one <= other : one >= other
}

function equal(one: Datum, other: Datum): boolean {
  if (typeof one === "object" && typeof other === "object") {
    const [first, second] = [asText(one), asText(other)]
    const folds = first.folded === true || second.folded === true
    return folds ? lower(first.text) === lower(second.text) : first.text === second.text
  }
  return typeof one === typeof other ? one === other : wrong()
}

function inBrackets(object: Datum, key: Datum): Datum {
  if (typeof object !== "object") return wrong()
  if ("byKey" in object) return object.byKey[asText(key).text] ?? wrong()
  if (typeof key !== "number") return wrong()
  const piece = sliced(object, key, key + 1)
  return Array.isArray(piece) ? (piece[0] ?? wrong()) : piece
}

function sliced(object: Datum, from: number, to: number): Datum {
  if (typeof object !== "object" || "byKey" in object) return wrong()
  const length = Array.isArray(object) ? object.length : object.text.length
  if (from < 0 || to > length || from > to) return wrong()
  return Array.isArray(object) ? object.slice(from, to) : { ...object, text: object.text.slice(from, to) }
}

function truth(value: Datum): boolean {
  return typeof value === "boolean" ? value : wrong()
}

function elements(value: Datum): Datum[] {
  return Array.isArray(value) ? value : wrong()
}

function asText(value: Datum): { text: string; folded?: true } {
  return typeof value === "object" && "text" in value ? value : wrong()
}

function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function wrong(): never {
  throw new Wrong("no value")
}

/** The precedence of each form: parts of lower precedence are in parentheses. */
const LEVELS = { or: 0, and: 1, compare: 2, in: 2, not: 3 } as const

/** Writes a tree as text; `spare` says of each place in turn whether parentheses stand there without need. */
export function write(tree: Tree, spare: () => boolean): string {
  const level = levelOf(tree)
  const part = (one: Tree, least: number) => {
    const text = write(one, spare)
    return levelOf(one) < least || spare() ? `(${text})` : text
  }
  switch (tree.is) {
    case "literal":
      return typeof tree.value === "string" ? `'${tree.value}'` : String(tree.value)
    case "quoted":
      return `'${tree.value}'`
    case "path":
      return tree.path
    case "variable":
      return tree.name
    case "list":
      return `[${tree.items.map((item) => part(item, 0)).join(", ")}]`
    case "not":
      return `!${part(tree.operand, level)}`
    case "and":
      return tree.parts.map((one) => part(one, level + 1)).join(" && ")
    case "or":
      return tree.parts.map((one) => part(one, level + 1)).join("||")
    case "compare":
      return `${part(tree.left, level + 1)} ${tree.sign} ${part(tree.right, level + 1)}`
    case "in":
      return `${part(tree.item, level + 1)} in ${part(tree.list, level + 1)}`
    case "contains":
      return `${part(tree.list, 4)}.contains(${part(tree.item, 0)})`
    case "any":
    case "all":
    case "filter":
      return `${part(tree.list, 4)}.${tree.is}(${tree.variable}, ${part(tree.body, 0)})`
    case "count":
      return `${part(tree.list, 4)}.count${tree.bare ? "" : "()"}`
    case "bracket":
      return `${part(tree.object, 4)}[${part(tree.key, 0)}]`
    case "slice":
      return `${part(tree.object, 4)}[${tree.from}..${tree.to}]`
    case "fold":
      return `CaseInsensitiveString(${part(tree.operand, 0)})`
    default:
      return tree satisfies never
  }
}

function levelOf({ is }: Tree): number {
  return is in LEVELS ? LEVELS[is as keyof typeof LEVELS] : 4
}
