// The policy language in the editor: faults with their places, completion from the namespaces, colours of tokens.
import { EXPRESSION_KINDS, isFault } from "../../../signer/core/fault.ts"
import { compile, type Field } from "../../../signer/core/policy/expression.ts"
import type { Type } from "../../../signer/core/policy/language/types.ts"
import { namespaces } from "../../../signer/core/policy/namespaces/index.ts"

export type Mark = { from: number; to: number; sentence: string }

/** The fault for which the signer would refuse the expression. */
export function faultIn(text: string, field: Field): Mark | undefined {
  if (text.trim() === "") return undefined
  try {
    compile(text, field)
    return undefined
  } catch (error) {
    if (!isFault(error, ...EXPRESSION_KINDS)) throw error
    const { offset, length } = error.place
    const from = Math.min(offset, text.length)
    return { from, to: Math.min(from + Math.max(length, 1), text.length), sentence: error.message }
  }
}

export type Proposal = { label: string; kind: "field" | "value" | "function"; detail: string }

const FUNCTIONS: readonly Proposal[] = ["any", "all", "count", "filter", "contains"].map((label) => ({
  label,
  kind: "function" as const,
  detail: "of lists",
}))

/** Completions at the end of a text; `from`: the position that they replace from. */
export function proposalsAt(text: string, field: Field): { from: number; proposals: readonly Proposal[] } {
  const { roots } = namespaces[field]
  const quoted = /([\w.]+)\s*(?:==|!=|in)\s*\[?\s*['"]([^'"]*)$/.exec(text)
  if (quoted) {
    const [, path = "", begun = ""] = quoted
    const type = typeAt(roots, path)
    const values = type?.kind === "string" ? (type.values ?? []) : []
    return {
      from: text.length - begun.length,
      proposals: values.map((label) => ({ label, kind: "value", detail: path })),
    }
  }
  const [begun = ""] = /[\w.]*$/.exec(text) ?? []
  const dot = begun.lastIndexOf(".")
  const from = text.length - (begun.length - dot - 1)
  if (dot < 0) {
    const words = [...new Set(Object.keys(roots).map((root) => root.split(".")[0] ?? root))]
    return { from, proposals: words.map((label) => ({ label, kind: "field", detail: "" })) }
  }
  const path = begun.slice(0, dot)
  const seconds = Object.keys(roots)
    .filter((root) => root.startsWith(`${path}.`))
    .map((root) => root.slice(path.length + 1))
  const type = typeAt(roots, path)
  return {
    from,
    proposals: [
      ...seconds.map((label): Proposal => ({ label, kind: "field", detail: "" })),
      ...membersOf(type),
    ],
  }
}

function membersOf(type: Type | undefined): readonly Proposal[] {
  if (type?.kind === "list") return FUNCTIONS
  if (type?.kind !== "struct") return []
  return Object.entries(type.fields).map(([label, { kind }]) => ({ label, kind: "field", detail: kind }))
}

function typeAt(roots: Readonly<Record<string, Type>>, path: string): Type | undefined {
  const root = Object.keys(roots)
    .filter((name) => path === name || path.startsWith(`${name}.`))
    .toSorted((a, b) => b.length - a.length)[0]
  if (root === undefined) return undefined
  const names = path
    .slice(root.length + 1)
    .split(".")
    .filter((name) => name !== "")
  return names.reduce<Type | undefined>(
    (type, name) => (type?.kind === "struct" ? type.fields[name] : undefined),
    roots[root],
  )
}
