// The promises of docs/THREAT_MODEL.md, and the tests that its claims name.

import type { NamedTest } from "./tap-results.ts"

/** `id`: "A6-lost", which belongs to the promise "A6". */
export type Claim = { id: string; promise: string; tests: NamedTest[] }

/** @param text of the threat model: claims are `#### id`, their tests "- `file` "title"" */
export function claimsOf(text: string): Claim[] {
  const [, ...parts] = text.split(/^#### /m)
  return parts.map((part) => {
    const [id = ""] = part.split("\n")
    const [own = ""] = part.split(/^#{2,3} /m)
    const tests = [...own.matchAll(/^- `(test\/[^`]+)` "(.+)"$/gm)].map(([, file = "", title = ""]) => ({
      file,
      title,
    }))
    return { id, promise: id.split("-")[0] ?? "", tests }
  })
}

/** Promises that are explained together. */
export type Explained = { promises: string[]; meaning: string }

/** The meanings of promises, from the list below `### Ids`: "- `P1`, `P2`: meaning". */
export function explainedIn(text: string): Explained[] {
  const [, list = ""] = text.split(/^### Ids$/m)
  const [own = ""] = list.split(/^#{2,3} /m)
  const items = [...own.matchAll(/^- ((?:`[A-Z]\d+`(?:,\s+)?)+):\s+([\s\S]*?)(?=\n- |\n\n|(?![\s\S]))/gm)]
  return items.map(([, ids = "", meaning = ""]) => ({
    promises: ids.match(/[A-Z]\d+/g) ?? [],
    meaning: meaning.replaceAll(/\s+/g, " ").trim(),
  }))
}
